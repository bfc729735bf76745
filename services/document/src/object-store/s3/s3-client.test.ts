import type http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { forAllTests } from '@supplier/lib/testing';
import { systemClock } from '@supplier/lib/text/time';
import { startFakeS3 } from '../../../testing/fake-s3.ts';
import { newKey } from '../../../testing/object-store-suite.ts';
import { ObjectChanged, type ObjectStore, StoreUnavailable } from '../object-store.ts';
import { s3Store } from './s3-store.ts';

type Answer = http.RequestListener;

/** An S3 server that misbehaves as each test configures. */
let answer: Answer = () => {};
let requests = 0;
const s3 = forAllTests(() =>
  startFakeS3((request, response) => {
    requests += 1;
    answer(request, response);
  }),
);
let store: ObjectStore;
beforeAll(() => {
  store = s3Store({ ...s3.config, publicUrl: 'https://files.example.com' }, systemClock);
});
beforeEach(() => {
  requests = 0;
});

const key = newKey();
const etag = 'a'.repeat(32);
const from = { area: 'incoming', key, etag } as const;
const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
const refusing =
  (status: number, code: string): Answer =>
  (request, response) => {
    response.writeHead(status).end(request.method === 'HEAD' ? undefined : xml(code));
  };

describe('misbehaving S3 server', () => {
  it.each([
    [500, 'InternalError'],
    [503, 'SlowDown'],
    [403, 'AccessDenied'],
    [404, 'NoSuchBucket'],
    [301, 'PermanentRedirect'],
  ])(
    'that returns %d %s is unavailable for every method, after one or two requests each',
    async (status, code) => {
      answer = refusing(status, code);
      const calls = [
        () => store.stat('held', key),
        () => store.read('held', key, etag),
        () => store.copy(from, { area: 'held', key }),
        () => store.remove('held', key),
        () => store.check(),
        () => store.list('held')[Symbol.asyncIterator]().next(),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow(StoreUnavailable);
      expect(requests).toBeLessThanOrEqual(calls.length + 1);
    },
  );

  it('does not exhaust the connections with refusals', async () => {
    answer = (_request, response) => response.writeHead(503).end('x'.repeat(1_000_000));
    for (let round = 0; round < 80; round += 1)
      await expect(store.read('held', key, etag)).rejects.toThrow(StoreUnavailable);
  });

  it.each(['NoSuchKey', 'PreconditionFailed'])(
    'that returns %s reports that the object changed',
    async (code) => {
      answer = refusing(code === 'NoSuchKey' ? 404 : 412, code);
      await expect(store.read('held', key, etag)).rejects.toThrow(ObjectChanged);
      await expect(store.copy(from, { area: 'clean', key })).rejects.toThrow(ObjectChanged);
    },
  );

  it('that ignores If-Match is detected', async () => {
    answer = (_request, response) => response.writeHead(200, { etag: '"other"' }).end('other bytes');
    await expect(store.read('held', key, etag)).rejects.toThrow(ObjectChanged);
  });

  it('that fails during a copy with status 200 does not count as a copy', async () => {
    answer = (_request, response) => response.writeHead(200).end(xml('InternalError'));
    await expect(store.copy(from, { area: 'clean', key })).rejects.toThrow(StoreUnavailable);
  });

  it('that disconnects within an object is unavailable rather than at the end of the object', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { etag: `"${etag}"`, 'content-length': 1_000 }).write('half');
      setTimeout(() => response.destroy(), 50);
    };
    const reading = store.read('held', key, etag).then((bytes) => buffer(bytes));
    await expect(reading).rejects.toThrow(StoreUnavailable);
  });

  it('receives the ETag for copies and reads in quotes, as the standard requires', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      seen.push(request.headers['if-match'] ?? request.headers['x-amz-copy-source-if-match']);
      response.writeHead(412).end(xml('PreconditionFailed'));
    };
    await expect(store.read('held', key, etag)).rejects.toThrow(ObjectChanged);
    await expect(store.copy(from, { area: 'held', key })).rejects.toThrow(ObjectChanged);
    expect(seen).toEqual([`"${etag}"`, `"${etag}"`]);
  });

  it('is listed page by page, with no page requested before it is needed', async () => {
    answer = (request, response) => {
      const second = request.url?.includes('continuation-token=more');
      const contents = [1, 2].map(
        (n) =>
          `<Contents><Key>held/${second ? 'b' : 'a'}${n}</Key><LastModified>2026-11-20T00:00:00.000Z</LastModified><ETag>"e"</ETag><Size>${n}</Size></Contents>`,
      );
      const next = second ? '' : '<NextContinuationToken>more</NextContinuationToken>';
      response
        .writeHead(200)
        .end(
          `<ListBucketResult><IsTruncated>${!second}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
        );
    };
    const keys: string[] = [];
    for await (const object of store.list('held')) {
      if (keys.length < 2) expect(requests).toBe(1);
      keys.push(object.key);
    }
    expect(keys).toEqual(['a1', 'a2', 'b1', 'b2']);
  });
});

it('URLs issued for clients name the public host', async () => {
  const url = await store.uploadUrl({
    key,
    contentType: 'text/csv',
    byteSize: 1,
    expiresAt: new Date(Date.now() + 1_000),
  });
  expect(url.startsWith(`https://files.example.com/quarantine/incoming/${key}?`)).toBe(true);
});
