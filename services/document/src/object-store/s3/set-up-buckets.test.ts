import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { StoreUnavailable } from '../object-store.ts';
import type { S3StoreConfig } from '../store-config.ts';
import { setUpBuckets } from './set-up-buckets.ts';

/** As much of an S3 server as creating buckets needs: GET answers with what was PUT at the URL. */
const stored = new Map<string, string>();
let unavailable = false;
const server = http.createServer(async (request, response) => {
  const { method, url = '' } = request;
  if (unavailable) return response.writeHead(503).end();
  const body = await text(request);
  if (method === 'PUT') stored.set(url, body);
  if (method === 'DELETE') {
    stored.delete(url);
    return response.writeHead(204).end();
  }
  const found = stored.get(url);
  if (found === undefined) {
    const code = url.endsWith('?lifecycle') ? 'NoSuchLifecycleConfiguration' : 'NoSuchBucket';
    return response.writeHead(404).end(method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`);
  }
  return response.writeHead(200).end(method === 'GET' ? found : undefined);
});
let config: S3StoreConfig;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const user = { accessKeyId: 'user', secretAccessKey: 'secret' };
  const buckets = { quarantineBucket: 'quarantine', cleanBucket: 'clean' };
  config = {
    kind: 's3',
    endpoint,
    publicUrl: endpoint,
    region: 'r',
    ...buckets,
    access: { kind: 'keys', quarantine: user, clean: user },
  };
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
beforeEach(() => {
  stored.clear();
  unavailable = false;
});

const setUp = async () => {
  const steps: string[] = [];
  for await (const step of setUpBuckets(config)) steps.push(step);
  return steps;
};
const RULES = '/quarantine?lifecycle';
const rules = (...ids: string[]) =>
  `<LifecycleConfiguration>${ids.map((id) => `<Rule><ID>${id}</ID></Rule>`).join('')}</LifecycleConfiguration>`;

describe('setting up buckets', () => {
  it('makes them without a rule that removes anything', async () => {
    expect(await setUp()).toEqual(['bucket quarantine created', 'bucket clean created']);
    expect([...stored.keys()]).toHaveLength(2);
  });

  it('changes nothing when it is run again', async () => {
    await setUp();
    const before = [...stored];
    expect(await setUp()).toEqual(['bucket quarantine exists', 'bucket clean exists']);
    expect([...stored]).toEqual(before);
  });

  it('takes away the rule of an earlier release, which knows no legal hold', async () => {
    stored.set(RULES, rules('incoming-expires'));
    expect((await setUp())[2]).toContain('incoming-expires of bucket quarantine taken away');
    expect(stored.has(RULES)).toBe(false);
  });

  it.each([['theirs'], ['theirs', 'incoming-expires']])(
    'leaves the rules of others as they are: %s',
    async (...ids) => {
      stored.set(RULES, rules(...ids));
      const [, , says] = await setUp();
      expect(stored.get(RULES)).toBe(rules(...ids));
      if (ids.length === 1) expect(says).toBeUndefined();
      else expect(says).toContain('take it away');
    },
  );

  it('rejects when the store is unavailable', async () => {
    unavailable = true;
    await expect(setUp()).rejects.toThrow(StoreUnavailable);
  });
});
