import type http from 'node:http';
import { text } from 'node:stream/consumers';
import { forAllTests } from '@supplier/lib/testing';
import { startFakeS3 } from '../../../testing/fake-s3.ts';
import { StoreUnavailable } from '../object-store.ts';
import { setUpBuckets } from './set-up-buckets.ts';

/** A minimal S3 server for creating buckets: GET returns what was PUT at the URL. */
const stored = new Map<string, string>();
let unavailable = false;
const s3 = forAllTests(() => startFakeS3(bucketsOf));
async function bucketsOf(request: http.IncomingMessage, response: http.ServerResponse) {
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
}
beforeEach(() => {
  stored.clear();
  unavailable = false;
});

const setUp = async () => {
  const steps: string[] = [];
  for await (const step of setUpBuckets(s3.config)) steps.push(step);
  return steps;
};
const RULES = '/quarantine?lifecycle';
const rules = (...ids: string[]) =>
  `<LifecycleConfiguration>${ids.map((id) => `<Rule><ID>${id}</ID></Rule>`).join('')}</LifecycleConfiguration>`;

describe('setUpBuckets', () => {
  it('creates buckets without a rule that removes objects', async () => {
    expect(await setUp()).toEqual(['bucket quarantine created', 'bucket clean created']);
    expect([...stored.keys()]).toHaveLength(2);
  });

  it('changes nothing when run again', async () => {
    await setUp();
    const before = [...stored];
    expect(await setUp()).toEqual(['bucket quarantine exists', 'bucket clean exists']);
    expect([...stored]).toEqual(before);
  });

  it('removes the rule of an earlier release, which ignores legal holds', async () => {
    stored.set(RULES, rules('incoming-expires'));
    expect((await setUp())[2]).toContain('removed the lifecycle rule incoming-expires of bucket quarantine');
    expect(stored.has(RULES)).toBe(false);
  });

  it.each([['theirs'], ['theirs', 'incoming-expires']])(
    'leaves other rules unchanged: %s',
    async (...ids) => {
      stored.set(RULES, rules(...ids));
      const [, , message] = await setUp();
      expect(stored.get(RULES)).toBe(rules(...ids));
      if (ids.length === 1) expect(message).toBeUndefined();
      else expect(message).toContain('remove it');
    },
  );

  it('rejects when the store is unavailable', async () => {
    unavailable = true;
    await expect(setUp()).rejects.toThrow(StoreUnavailable);
  });
});
