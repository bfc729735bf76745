import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { eventually } from '@supplier/lib/testing';
import { inSeconds, newKey } from '../../../testing/object-store-suite.ts';
import { openTestDiskStore, type TestDiskStore } from '../../../testing/test-disk-store.ts';
import { exchange, upload } from '../../../testing/transfer.ts';
import { ObjectChanged } from '../object-store.ts';
import { sweepTemporaries } from './directory.ts';

const TYPE = 'text/csv';
const UUID = /^[0-9a-f-]{36}$/;

let disk: TestDiskStore;
beforeEach(async () => {
  disk = await openTestDiskStore();
});
afterEach(() => disk.close());

const admit = async (byteSize: number, { at = disk, contentType = TYPE } = {}) => {
  const key = newKey();
  const url = await at.store.uploadUrl({ key, contentType, byteSize, expiresAt: inSeconds(60) });
  return { key, url };
};
const errorOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).error;
/** Starts an upload and leaves it open. */
const beginUpload = async (url: string, byteSize: number, at = disk) => {
  const headers = { 'content-type': TYPE, 'content-length': byteSize };
  const request = http.request(url, { method: 'PUT', headers, agent: false });
  const ended = new Promise((resolve) => request.once('close', resolve));
  request.on('error', () => {});
  request.write('x');
  await eventually('the upload has begun', async () => (await at.leftovers()).length > 0);
  return { request, ended };
};

describe('upload listener response', () => {
  it('contains the SHA-256 of the stored bytes', async () => {
    const bytes = randomBytes(100_000);
    const { url } = await admit(bytes.length);
    const answer = await upload(url, bytes, TYPE);
    expect(answer.headers.etag).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
    expect(answer.headers['x-request-id']).toMatch(UUID);
  });

  it.each([
    ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/csv', 'Text/CSV;charset="UTF-8"'],
  ])('is 200 when %j was signed and %j is sent', async (contentType, sent) => {
    const { url } = await admit(3, { contentType });
    expect((await upload(url, Buffer.from('a,b'), sent)).status).toBe(200);
  });

  it.each<[string, number, (url: string) => string, { method?: string; headers?: http.OutgoingHttpHeaders }]>(
    [
      ['forged', 403, (url) => url.replace('size=3', 'size=4'), {}],
      ['forged', 403, (url) => url.replace('/uploads/', '/downloads/'), { method: 'GET' }],
      ['size_mismatch', 403, (url) => url, { headers: { 'content-length': 4, 'content-type': TYPE } }],
      ['type_mismatch', 403, (url) => url, { headers: { 'content-length': 3 } }],
      [
        'type_mismatch',
        403,
        (url) => url,
        { headers: { 'content-length': 3, 'content-type': 'text/csv; charset=utf-16' } },
      ],
      ['length_required', 411, (url) => url, { headers: { 'content-type': TYPE } }],
      ['method_not_allowed', 405, (url) => url, { method: 'POST' }],
      ['method_not_allowed', 405, (url) => url.replace('/uploads/', '/downloads/'), { method: 'PUT' }],
      ['not_found', 404, (url) => url.replace('/uploads/', '/uploads/../held/'), {}],
      ['not_found', 404, (url) => url.replace('/uploads/', '/uploads/%2e%2e%2f'), {}],
      ['not_found', 404, (url) => url.replace('/uploads/', '/held/'), {}],
      ['not_found', 404, (url) => new URL('/', url).href, {}],
    ],
  )('is %s, %d, with a code, a message and a request id', async (code, status, change, given) => {
    const { url } = await admit(3);
    const headers = given.headers ?? { 'content-length': 3, 'content-type': TYPE };
    const body = Buffer.alloc(Number(headers['content-length'] ?? 3), 'x');
    const method = given.method ?? 'PUT';
    const answer = await exchange(change(url), { method, headers: { ...headers }, body });
    expect([errorOf(answer).code, answer.status]).toEqual([code, status]);
    expect(errorOf(answer).message).toMatch(/^[A-Z].*\.$/);
    expect(answer.headers['x-request-id']).toMatch(UUID);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    if (status === 405) expect(answer.headers.allow).toBeDefined();
    expect(await disk.leftovers()).toEqual([]);
  });

  it('refuses input that is not HTTP', async () => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(disk.url).port) });
    socket.write('what is this?\r\n\r\n');
    const answer = (await buffer(socket)).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"bad_request"');
    expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}/);
  });

  it('is sent before the body when the client expects 100-continue', async () => {
    const bytes = Buffer.from('abc');
    const agent = new http.Agent({ keepAlive: true });
    for (const [size, expected] of [
      [3, ['continue', 200, 'keep-alive']],
      // On a connection whose body was not accepted, the body would be parsed as the next request.
      [4, [403, 'close']],
    ] as const) {
      const { url } = await admit(size);
      const headers = { 'content-type': TYPE, 'content-length': 3, expect: '100-continue' };
      const request = http.request(url, { method: 'PUT', headers, agent });
      const seen: (string | number)[] = [];
      request.on('continue', () => {
        seen.push('continue');
        request.end(bytes);
      });
      request.flushHeaders();
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      seen.push(response.statusCode ?? 0, response.headers.connection ?? '');
      expect(seen).toEqual(expected);
      request.destroy();
    }
  });

  it('reaches a client that sends a whole refused body before it reads', async () => {
    const { url } = await admit(8_000_000);
    const answer = await upload(url, Buffer.alloc(8_000_001), TYPE);
    expect(errorOf(answer).code).toBe('size_mismatch');
  });

  it('leaves the connection usable after a refusal', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const send = async (length: number) => {
      const { url } = await admit(3);
      const headers = { 'content-type': TYPE, 'content-length': length };
      const request = http.request(url, { method: 'PUT', headers, agent });
      request.end(Buffer.alloc(length));
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      await buffer(response);
      return [response.statusCode, request.reusedSocket];
    };
    expect([await send(100_000), await send(3)]).toEqual([
      [403, false],
      [200, true],
    ]);
    agent.destroy();
  });

  it('produces one log line without the URL or a filename', async () => {
    const { key, url } = await admit(3);
    await upload(url, Buffer.from('abc'), TYPE);
    const etag = (await disk.store.stat('incoming', key))?.etag ?? '';
    await disk.store.copy({ area: 'incoming', key, etag }, { area: 'clean', key });
    const download = { key, filename: 'jo-bloggs.csv', contentType: TYPE, expiresAt: inSeconds(60) };
    await exchange(await disk.store.downloadUrl(download), {});
    const lines = disk.process.lines.filter(({ msg }) => msg === 'transfer');
    expect(lines).toMatchObject([
      { route: 'uploads', method: 'PUT', status: 200, outcome: 'done' },
      { route: 'downloads', method: 'GET', status: 200, outcome: 'done' },
    ]);
    expect(JSON.stringify(disk.process.lines)).not.toMatch(/signature|expires=|bloggs/);
  });
});

describe('upload listener limits', () => {
  it('refuse an extra concurrent upload with Retry-After, and accept it once another has ended', async () => {
    await disk.close();
    disk = await openTestDiskStore({ bounds: { maxTransfers: 1 } });
    const { request, ended } = await beginUpload((await admit(2)).url, 2);
    const { url } = await admit(3);
    const refused = await upload(url, Buffer.from('abc'), TYPE);
    expect([refused.status, errorOf(refused).code]).toEqual([503, 'busy']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    request.end('y');
    await once(request, 'response');
    request.destroy();
    await ended;
    expect((await upload(url, Buffer.from('abc'), TYPE)).status).toBe(200);
  });

  it.each([
    ['is idle', { idleMs: 200 }],
    ['takes too long', { requestMs: 200 }],
  ])('cut a client that %s, and leave nothing', async (_what, bounds) => {
    await disk.close();
    disk = await openTestDiskStore({ bounds });
    const { key, url } = await admit(1_000);
    const { ended } = await beginUpload(url, 1_000);
    await ended;
    await eventually('nothing is left', async () => (await disk.leftovers()).length === 0);
    expect(await disk.store.stat('incoming', key)).toBeUndefined();
  });
});

describe('disk', () => {
  it('that is full causes a refusal with Retry-After, leaves nothing, and accepts the upload once there is space', async () => {
    const root = await mkdtemp(join(tmpdir(), 'disk-store-full-'));
    if (!mount(root, 'size=1m')) return skip('no tmpfs can be mounted here');
    try {
      const full = await openTestDiskStore({ root });
      const bytes = randomBytes(700_000);
      const first = await admit(bytes.length, { at: full });
      expect((await upload(first.url, bytes, TYPE)).status).toBe(200);
      const { key, url } = await admit(bytes.length, { at: full });
      const refused = await upload(url, bytes, TYPE);
      expect([refused.status, errorOf(refused).code]).toEqual([503, 'store_unavailable']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(await full.leftovers()).toEqual([]);
      expect(await full.store.stat('incoming', key)).toBeUndefined();
      await full.store.remove('incoming', first.key);
      expect((await upload(url, bytes, TYPE)).status).toBe(200);
      await full.close();
    } finally {
      execFileSync('umount', [root]);
      await rm(root, { recursive: true });
    }
  });

  it('that is read-only refuses uploads, copies and removals, and still serves its objects', async () => {
    const root = await mkdtemp(join(tmpdir(), 'disk-store-read-only-'));
    if (!mount(root, 'size=1m')) return skip('no tmpfs can be mounted here');
    try {
      const fixed = await openTestDiskStore({ root });
      const { key, url } = await admit(3, { at: fixed });
      expect((await upload(url, Buffer.from('abc'), TYPE)).status).toBe(200);
      execFileSync('mount', ['-o', 'remount,ro', root]);
      const refused = await upload(url, Buffer.from('abd'), TYPE);
      expect([refused.status, errorOf(refused).code]).toEqual([503, 'store_unavailable']);
      const { store } = fixed;
      const etag = (await store.stat('incoming', key))?.etag ?? '';
      const unavailable = { name: 'StoreUnavailable' };
      const copying = store.copy({ area: 'incoming', key, etag }, { area: 'held', key });
      await expect(copying).rejects.toMatchObject(unavailable);
      await expect(store.remove('incoming', key)).rejects.toMatchObject(unavailable);
      await expect(store.check()).rejects.toMatchObject(unavailable);
      expect((await buffer(await store.read('incoming', key, etag))).toString()).toBe('abc');
      await fixed.close();
    } finally {
      execFileSync('umount', [root]);
      await rm(root, { recursive: true });
    }
  });

  it("without the store's directory, as if unmounted, is unavailable, and nothing is created in its place", async () => {
    const { key, url } = await admit(3);
    await rm(disk.layout.root, { recursive: true });
    expect((await upload(url, Buffer.from('abc'), TYPE)).status).toBe(503);
    const unavailable = { name: 'StoreUnavailable' };
    await expect(disk.store.stat('incoming', key)).rejects.toMatchObject(unavailable);
    await expect(disk.store.remove('incoming', key)).rejects.toMatchObject(unavailable);
    await expect(disk.store.check()).rejects.toMatchObject(unavailable);
  });

  it('that truncated a file or changed one of its bytes no longer has that object', async () => {
    const bytes = randomBytes(600_000);
    const { key, url } = await admit(bytes.length);
    await upload(url, bytes, TYPE);
    const etag = (await disk.store.stat('incoming', key))?.etag ?? '';
    const path = disk.layout.object('incoming', key);
    const whole = await buffer(await disk.store.read('incoming', key, etag));

    const trailer = Buffer.from(
      JSON.stringify({ format: 1, byteSize: bytes.length, contentType: TYPE, sha256: etag }).padEnd(256),
    );
    whole[300_000] = (whole[300_000] ?? 0) ^ 1;
    await writeFile(path, Buffer.concat([whole, trailer]));
    await expect(disk.store.read('incoming', key, etag).then((read) => buffer(read))).rejects.toBeInstanceOf(
      ObjectChanged,
    );
    await truncate(path, 400_000);
    expect(await disk.store.stat('incoming', key)).toBeUndefined();
    await expect(disk.store.read('incoming', key, etag)).rejects.toBeInstanceOf(ObjectChanged);
  });
});

it('disk store never uses an invalid key as part of a path', async () => {
  for (const key of ['../../etc/passwd', '', 'A'.repeat(32), `${newKey()}/x`, `${newKey()}\0`]) {
    await expect(disk.store.stat('clean', key)).rejects.toThrow('invalid object key');
    await expect(disk.store.remove('clean', key)).rejects.toThrow('invalid object key');
  }
});

it('temporary file sweep removes abandoned files after an hour, and no sooner', async () => {
  const left = disk.layout.newTemporary();
  await writeFile(left, 'half');
  await utimes(left, 0, 0);
  expect(await sweepTemporaries(disk.layout, new Date(Date.now() + 3_500_000))).toBe(0);
  expect(await sweepTemporaries(disk.layout, new Date(Date.now() + 3_700_000))).toBe(1);
  expect(await disk.leftovers()).toEqual([]);
});

function mount(root: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', root], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function skip(reason: string): void {
  console.warn(`skipped: "${expect.getState().currentTestName}", because ${reason}`);
}
