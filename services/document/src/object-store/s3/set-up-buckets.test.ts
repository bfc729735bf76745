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
  const found = stored.get(url);
  if (found === undefined)
    return response
      .writeHead(404)
      .end(method === 'HEAD' ? undefined : '<Error><Code>NoSuchBucket</Code></Error>');
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

  it('rejects when the store is unavailable', async () => {
    unavailable = true;
    await expect(setUp()).rejects.toThrow(StoreUnavailable);
  });
});
