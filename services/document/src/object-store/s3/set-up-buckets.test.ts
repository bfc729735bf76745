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
    quarantine: user,
    clean: user,
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
const EXPIRES = 'objects under incoming/ of bucket quarantine expire after 2 days';

describe('setting up buckets', () => {
  it('sets a rule that expires uploads which are never finalized, and no other rule', async () => {
    expect(await setUp()).toEqual(['bucket quarantine created', 'bucket clean created', EXPIRES]);
    expect(stored.get('/quarantine?lifecycle')).toBe(
      '<LifecycleConfiguration><Rule><ID>incoming-expires</ID><Status>Enabled</Status>' +
        '<Filter><Prefix>incoming/</Prefix></Filter><Expiration><Days>2</Days></Expiration>' +
        '</Rule></LifecycleConfiguration>',
    );
    expect([...stored.keys()]).toHaveLength(3);
  });

  it('changes nothing when it is run again', async () => {
    await setUp();
    const before = [...stored];
    expect(await setUp()).toEqual([
      'bucket quarantine exists',
      'bucket clean exists',
      `${EXPIRES} (rule exists)`,
    ]);
    expect([...stored]).toEqual(before);
  });

  it('leaves the lifecycle rules of others as they are', async () => {
    const theirs = '<LifecycleConfiguration><Rule><ID>theirs</ID></Rule></LifecycleConfiguration>';
    stored.set('/quarantine?lifecycle', theirs);
    expect((await setUp())[2]).toContain('other lifecycle rules');
    expect(stored.get('/quarantine?lifecycle')).toBe(theirs);
  });

  it('rejects when the store is unavailable', async () => {
    unavailable = true;
    await expect(setUp()).rejects.toThrow(StoreUnavailable);
  });
});
