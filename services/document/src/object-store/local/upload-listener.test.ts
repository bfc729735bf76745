import { rename, rm } from 'node:fs/promises';
import http from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { KeyRing } from '@supplier/lib/data/crypto';
import { eventually } from '@supplier/lib/testing';
import { systemClock } from '@supplier/lib/text/time';
import { inSeconds, newKey } from '../../../testing/object-store-suite.ts';
import { openTestLocalStore, type TestLocalStore } from '../../../testing/test-local-store.ts';
import { exchange, upload } from '../../../testing/transfer.ts';
import { signedLinks } from './signed-links.ts';

const TYPE = 'text/csv';
const BODY = Buffer.from('a,b');

let local: TestLocalStore;
const open = async (...bounds: Parameters<typeof openTestLocalStore>) => {
  local = await openTestLocalStore(...bounds);
};

const urlOf = (byteSize = BODY.length) =>
  local.store.uploadUrl({ key: newKey(), contentType: TYPE, byteSize, expiresAt: inSeconds(60) });
const answerTo = async (url: string, headers: http.OutgoingHttpHeaders = {}) => {
  const { status, body } = await upload(url, BODY, TYPE, headers);
  return [status, body.length > 0 ? JSON.parse(body.toString()).error.code : undefined];
};
/** Starts an upload and leaves it open. */
const begin = async () => {
  const headers = { 'content-type': TYPE, 'content-length': BODY.length };
  const request = http.request(await urlOf(), { method: 'PUT', headers, agent: false });
  const ended = new Promise((resolve) => request.once('close', resolve));
  request.on('error', () => {});
  request.write('a');
  await eventually('the upload has begun', async () => (await local.leftovers()).length > 0);
  return { request, ended };
};

describe('upload listener', () => {
  afterEach(() => local.close());

  it.each<[string, number, (url: string) => string, http.OutgoingHttpHeaders, string?]>([
    ['forged', 403, (url) => url.replace('size=3', 'size=4'), {}],
    ['forged', 403, (url) => url.replace(/\?.*/, ''), {}],
    ['forged', 403, (url) => url.replace('/uploads/', '/downloads/'), {}, 'GET'],
    ['size_mismatch', 403, (url) => url, { 'content-length': 2 }],
    ['type_mismatch', 403, (url) => url, { 'content-type': 'text/csv; charset=utf-8' }],
    ['type_mismatch', 403, (url) => url, { 'content-type': undefined }],
    ['length_required', 411, (url) => url, { 'content-length': undefined }],
    ['not_whole', 400, (url) => url, { 'content-encoding': 'gzip' }],
    ['not_whole', 400, (url) => url, { 'content-range': 'bytes 0-2/3' }],
    ['method_not_allowed', 405, (url) => url, {}, 'POST'],
    ['method_not_allowed', 405, (url) => url.replace('/uploads/', '/downloads/'), {}],
    ['not_found', 404, (url) => url.replace('/uploads/', '/uploads/%2e%2e%2f'), {}],
    ['not_found', 404, (url) => url.replace('/uploads/', '/held/'), {}],
  ])('refuses with %s, %d, and leaves nothing', async (code, status, change, changes, method = 'PUT') => {
    await open();
    const headers = { 'content-length': BODY.length, 'content-type': TYPE, ...changes };
    const body = BODY.subarray(0, Number(headers['content-length'] ?? BODY.length));
    const answer = await exchange(change(await urlOf()), { method, headers, body });
    expect([JSON.parse(answer.body.toString()).error.code, answer.status]).toEqual([code, status]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(await local.leftovers()).toEqual([]);
  });

  it.each([
    ['an extra parameter', (url: string) => `${url}&x=1`],
    ['a parameter twice', (url: string) => url.replace('size=3', 'size=3&size=3')],
    ['its parameters in another order', (url: string) => url.replace(/\?(size=3)&(.*)$/, '?$2&$1')],
    ['another spelling of a letter', (url: string) => url.replace('type=text', 'type=%74ext')],
    ['a second query', (url: string) => `${url}?x=1`],
  ])('refuses a URL with %s', async (_what, change) => {
    await open();
    const url = await urlOf();
    expect(change(url)).not.toBe(url);
    expect(await answerTo(change(url))).toEqual([403, 'forged']);
    expect(await answerTo(url)).toEqual([200, undefined]);
  });

  it.each(['text/csv', 'application/pdf', 'image/png', 'text/html'])(
    'serves a download of %s as this type, whatever its bytes look like',
    async (contentType) => {
      await open();
      const { store } = local;
      const key = newKey();
      expect(
        (
          await upload(
            await store.uploadUrl({ key, contentType: TYPE, byteSize: 3, expiresAt: inSeconds(60) }),
            BODY,
            TYPE,
          )
        ).status,
      ).toBe(200);
      const etag = (await store.stat('incoming', key))?.etag ?? '';
      await store.copy({ area: 'incoming', key, etag }, { area: 'clean', key });
      const url = await store.downloadUrl({ key, filename: 'a.csv', contentType, expiresAt: inSeconds(60) });
      const { status, headers } = await exchange(url, {});
      expect({ status, headers }).toMatchObject({
        status: 200,
        headers: { 'content-type': contentType, 'x-content-type-options': 'nosniff' },
      });
    },
  );

  it('lets a client send a whole refused body before it reads the response', async () => {
    await open();
    const answer = await upload(await urlOf(8_000_000), Buffer.alloc(8_000_001), TYPE);
    expect(answer.status).toBe(403);
  });

  it('returns 503 to one transfer too many, and accepts it once another has ended', async () => {
    await open({ maxTransfers: 1, transferMs: 60_000 });
    const { request, ended } = await begin();
    const url = await urlOf();
    expect(await answerTo(url)).toEqual([503, 'busy']);
    request.destroy();
    await ended;
    await eventually('the upload is accepted', async () => (await answerTo(url))[0] === 200);
  });

  it('cuts a transfer that takes too long, and leaves nothing', async () => {
    await open({ maxTransfers: 1, transferMs: 200 });
    const { ended } = await begin();
    await ended;
    await eventually('nothing is left', async () => (await local.leftovers()).length === 0);
  });

  it('returns 503 while its directory is missing, and creates none in its place', async () => {
    await open();
    const url = await urlOf();
    const away = `${local.root}.away`;
    await rename(local.root, away);
    expect(await answerTo(url)).toEqual([503, 'store_unavailable']);
    await rename(away, local.root);
    expect(await answerTo(url)).toEqual([200, undefined]);
    await rm(away, { recursive: true, force: true });
  });

  it('refuses input that is not HTTP', async () => {
    await open();
    const socket = connect({ host: '127.0.0.1', port: local.port });
    socket.write('what is this?\r\n\r\n');
    expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 400 /);
  });
});

it('links are accepted until the key that signed them leaves the ring', () => {
  const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
  const linksUnder = (...ids: number[]) => {
    const digestKeys = Object.fromEntries(ids.map((id) => [`d${id}`, key(id)]));
    const ring = { primary: 'k1', keys: { k1: key(9) }, primaryDigestKey: `d${ids[0]}`, digestKeys };
    return signedLinks('https://documents.test', KeyRing.fromJson(JSON.stringify(ring)), systemClock);
  };
  const uploaded = { key: newKey(), byteSize: 3, contentType: TYPE, expiresAt: inSeconds(60) };
  const query = new URL(linksUnder(1).upload(uploaded)).search.slice(1);
  expect(linksUnder(2, 1).read('uploads', uploaded.key, query)).toMatchObject({ size: '3', type: TYPE });
  expect(linksUnder(2).read('uploads', uploaded.key, query)).toBe('forged');
});
