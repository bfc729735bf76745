import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { KeyRing } from '@supplier/lib/data/crypto';
import { eventually } from '@supplier/lib/testing';
import { inSeconds, newKey } from '../../../testing/object-store-suite.ts';
import { openTestDiskStore, type TestDiskStore } from '../../../testing/test-disk-store.ts';
import { exchange, upload } from '../../../testing/transfer.ts';
import { ObjectChanged } from '../object-store.ts';
import { diskStore } from './disk-store.ts';

const TYPE = 'text/csv';
const SEGMENT = 64 * 1024;
const SEALED_SEGMENT = SEGMENT + 16;
const TRAILER = 512;

let disk: TestDiskStore;
beforeEach(async () => {
  disk = await openTestDiskStore();
});
afterEach(() => disk.close());

/** An uploaded object, its file, and a function that reads it. */
async function stored(bytes: Buffer) {
  const key = newKey();
  const admitted = { key, contentType: TYPE, byteSize: bytes.length, expiresAt: inSeconds(60) };
  expect((await upload(await disk.store.uploadUrl(admitted), bytes, TYPE)).status).toBe(200);
  const etag = (await disk.store.stat('incoming', key))?.etag ?? '';
  const path = disk.layout.object('incoming', key);
  const read = async (store = disk.store) => buffer(await store.read('incoming', key, etag));
  return { key, etag, path, read };
}

const ringOf = (primary: string, keys: Record<string, number>) =>
  KeyRing.fromJson(
    JSON.stringify({
      primary,
      keys: Object.fromEntries(
        Object.entries(keys).map(([id, fill]) => [id, Buffer.alloc(32, fill).toString('base64')]),
      ),
      digestKey: Buffer.alloc(32, 7).toString('base64'),
    }),
  );

describe('disk store encryption', () => {
  it('reveals nothing about the document and never produces the same bytes twice', async () => {
    const bytes = Buffer.from('Jane Doe;12.50\n'.repeat(20_000));
    const [one, other] = [await stored(bytes), await stored(bytes)];
    const [file, second] = [await readFile(one.path), await readFile(other.path)];
    for (const part of ['Jane', 'Doe', '12.50']) expect(file.includes(part)).toBe(false);
    expect(file.subarray(0, SEGMENT).equals(second.subarray(0, SEGMENT))).toBe(false);
    expect((await one.read()).equals(bytes)).toBe(true);
  });

  it.each([1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT])(
    'decrypts a document of %d bytes to the original',
    async (size) => {
      const bytes = randomBytes(size);
      const { key, etag, read } = await stored(bytes);
      expect((await read()).equals(bytes)).toBe(true);
      expect(await disk.store.stat('incoming', key)).toEqual({ byteSize: size, contentType: TYPE, etag });
    },
  );

  const cut = (file: Buffer, from: number, to: number) =>
    Buffer.concat([file.subarray(0, from), file.subarray(to)]);
  /** Returns the file with its trailing metadata changed. */
  const described = (file: Buffer, change: (described: Record<string, unknown>) => object) => {
    const old = JSON.parse(file.subarray(-TRAILER).toString());
    const text = JSON.stringify({ ...old, ...change(old) }).padEnd(TRAILER);
    return Buffer.concat([file.subarray(0, -TRAILER), Buffer.from(text)]);
  };
  const flipped = (file: Buffer, at: number) => {
    const copy = Buffer.from(file);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };

  it.each<[string, (file: Buffer) => Buffer]>([
    ['the first byte was changed', (file) => flipped(file, 0)],
    ['a byte of the second segment was changed', (file) => flipped(file, SEALED_SEGMENT + 100)],
    ['a tag was changed', (file) => flipped(file, SEALED_SEGMENT - 1)],
    ['the last byte was changed', (file) => flipped(file, file.length - TRAILER - 17)],
    [
      'two segments were exchanged',
      (file) =>
        Buffer.concat([
          file.subarray(SEALED_SEGMENT, 2 * SEALED_SEGMENT),
          file.subarray(0, SEALED_SEGMENT),
          file.subarray(2 * SEALED_SEGMENT),
        ]),
    ],
    ['a segment was left out', (file) => cut(file, SEALED_SEGMENT, 2 * SEALED_SEGMENT)],
    [
      'the last segment was cut off, and the size made to match',
      (file) =>
        described(cut(file, 2 * SEALED_SEGMENT, file.length - TRAILER), () => ({ byteSize: 2 * SEGMENT })),
    ],
    ['its type was changed', (file) => described(file, () => ({ contentType: 'text/html' }))],
    [
      'its key was changed',
      (file) =>
        described(file, ({ key }) => ({
          key: String(key).replace(/^(.{30})(.)/, (_, start, letter) => start + (letter === 'A' ? 'B' : 'A')),
        })),
    ],
  ])('prevents a full read when %s', async (_what, change) => {
    const { path, read } = await stored(randomBytes(2 * SEGMENT + 5_000));
    const file = await readFile(path);
    const changed = change(file);
    expect(changed.equals(file)).toBe(false);
    await writeFile(path, changed);
    await expect(read()).rejects.toThrow();
    await writeFile(path, file);
    await expect(read()).resolves.toBeDefined();
  });

  it('does not accept the bytes of another document', async () => {
    const [one, other] = [await stored(randomBytes(100)), await stored(randomBytes(100))];
    await writeFile(one.path, await readFile(other.path));
    await expect(one.read()).rejects.toBeInstanceOf(ObjectChanged);
  });

  it('opens objects with any ring that has the key, and does not report them as changed to a ring without it', async () => {
    const bytes = randomBytes(1_000);
    const { read } = await stored(bytes);
    const rotated = diskStore(disk.layout, { keyRing: ringOf('k2', { k1: 7, k2: 8 }) });
    expect((await read(rotated)).equals(bytes)).toBe(true);
    const without = diskStore(disk.layout, { keyRing: ringOf('k2', { k2: 8 }) });
    const refused = read(without);
    await expect(refused).rejects.toThrow('not in the ring');
    await expect(refused).rejects.not.toBeInstanceOf(ObjectChanged);
    await expect(read(diskStore(disk.layout))).rejects.toThrow('opens no objects');
  });
});

it('reads, copies and lists a file stored before encryption as before', async () => {
  const bytes = randomBytes(300_000);
  const { key, path, etag } = await stored(bytes);
  expect(etag).toBe(createHash('sha256').update(bytes).digest('hex'));
  const description = { format: 1, byteSize: bytes.length, contentType: TYPE, sha256: etag };
  await writeFile(path, Buffer.concat([bytes, Buffer.from(JSON.stringify(description).padEnd(256))]));

  const expected = { byteSize: bytes.length, contentType: TYPE, etag };
  expect(await disk.store.stat('incoming', key)).toEqual(expected);
  const clean = newKey();
  expect(await disk.store.copy({ area: 'incoming', key, etag }, { area: 'clean', key: clean })).toBe(etag);
  expect((await buffer(await disk.store.read('clean', clean, etag))).equals(bytes)).toBe(true);
  const listed = [];
  for await (const object of disk.store.list('clean')) listed.push(object);
  expect(listed[0]).toMatchObject({ key: clean, byteSize: bytes.length });
});

it('serves downloads in full only, and refuses a range request', async () => {
  const bytes = randomBytes(1_000);
  const { key, etag } = await stored(bytes);
  const clean = newKey();
  await disk.store.copy({ area: 'incoming', key, etag }, { area: 'clean', key: clean });
  const link = { key: clean, filename: 'a.csv', contentType: TYPE, expiresAt: inSeconds(60) };
  const url = await disk.store.downloadUrl(link);
  for (const range of ['bytes=0-9', 'bytes=-1', 'bytes=5-', 'other'])
    expect((await exchange(url, { headers: { range } })).status).toBe(416);
  const whole = await exchange(url, {});
  expect([whole.status, whole.headers['accept-ranges']]).toEqual([200, 'none']);
  expect(whole.body.equals(bytes)).toBe(true);
});

it('keeps plain bytes off the disk during an upload', async () => {
  const key = newKey();
  const bytes = Buffer.alloc(10 * SEGMENT, 'account;12.50\n');
  const admitted = { key, contentType: TYPE, byteSize: bytes.length + 1, expiresAt: inSeconds(60) };
  const headers = { 'content-type': TYPE, 'content-length': bytes.length + 1 };
  const sending = request(await disk.store.uploadUrl(admitted), { method: 'PUT', headers, agent: false });
  const ended = new Promise((resolve) => sending.once('close', resolve));
  sending.on('error', () => {});
  sending.write(bytes);
  const written = await eventually('some segments are written', async () => {
    const [name] = await disk.leftovers();
    const file = name && (await readFile(join(disk.layout.temporary, name)));
    return file && file.length > 5 * SEGMENT ? file : undefined;
  });
  expect(written.includes('account;')).toBe(false);
  sending.destroy();
  await ended;
});
