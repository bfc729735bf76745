import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { KeyRing } from '@supplier/lib/data/crypto';
import { inSeconds, newKey } from '../../../testing/object-store-suite.ts';
import { openTestDiskStore, type TestDiskStore } from '../../../testing/test-disk-store.ts';
import { upload } from '../../../testing/transfer.ts';
import type { Area } from '../object-store.ts';
import { diskStore } from './disk-store.ts';
import { rotatedDataKeys } from './rotate-data-keys.ts';

const TYPE = 'application/pdf';
let disk: TestDiskStore;
beforeEach(async () => {
  disk = await openTestDiskStore();
});
afterEach(() => disk.close());

/** The key ring of the test store, which seals under k1, with a second key. */
const ringOf = (primary: string, ...ids: string[]) =>
  KeyRing.fromJson(
    JSON.stringify({
      primary,
      keys: Object.fromEntries(
        ids.map((id) => [id, Buffer.alloc(32, id === 'k1' ? 7 : 8).toString('base64')]),
      ),
      digestKey: Buffer.alloc(32, 7).toString('base64'),
    }),
  );

async function stored(bytes: Buffer) {
  const key = newKey();
  const admitted = { key, contentType: TYPE, byteSize: bytes.length, expiresAt: inSeconds(60) };
  expect((await upload(await disk.store.uploadUrl(admitted), bytes, TYPE)).status).toBe(200);
  const etag = (await disk.store.stat('incoming', key))?.etag ?? '';
  await disk.store.copy({ area: 'incoming', key, etag }, { area: 'held', key });
  return { key, etag, bytes };
}

async function rotate(ring: KeyRing, dryRun = false) {
  const failures: unknown[] = [];
  let rewritten = 0;
  await rotatedDataKeys(disk.layout, ring).rewrite({
    dryRun,
    rewritten: (count) => {
      rewritten += count;
    },
    failed: (_where, error) => failures.push(error),
  });
  return { rewritten, failures: failures.length };
}

const countsUnder = async (ring: KeyRing) =>
  Object.fromEntries(
    (await rotatedDataKeys(disk.layout, ring).count()).map(({ id, values }) => [id, values]),
  );

async function readWith(ring: KeyRing, area: Area, { key, etag }: { key: string; etag: string }) {
  return buffer(await diskStore(disk.layout, { keyRing: ring }).read(area, key, etag));
}

describe('data key rotation', () => {
  it('reseals every area under the primary key, keeps the bytes, and makes the old key unnecessary', async () => {
    const objects = [await stored(randomBytes(100_000)), await stored(Buffer.alloc(1))];
    const both = ringOf('k2', 'k1', 'k2');
    expect(await countsUnder(both)).toEqual({ k1: 4 });
    const [first] = objects;
    const path = disk.layout.object('incoming', first?.key ?? '');
    const sealed = (await readFile(path)).subarray(0, 100_000);

    expect(await rotate(both)).toEqual({ rewritten: 4, failures: 0 });

    expect(await countsUnder(both)).toEqual({ k2: 4 });
    expect((await readFile(path)).subarray(0, 100_000).equals(sealed)).toBe(true);
    for (const object of objects)
      for (const area of ['incoming', 'held'] as const)
        expect((await readWith(ringOf('k2', 'k2'), area, object)).equals(object.bytes)).toBe(true);
    expect(await rotate(both)).toEqual({ rewritten: 0, failures: 0 });
    expect(await disk.leftovers()).toEqual([]);
  });

  it('tries every data key and changes nothing in a dry run', async () => {
    await stored(Buffer.from('x'));
    expect(await rotate(ringOf('k2', 'k1', 'k2'), true)).toEqual({ rewritten: 2, failures: 0 });
    expect(await countsUnder(ringOf('k1', 'k1'))).toEqual({ k1: 2 });
  });

  it('reports data keys that cannot be decrypted, and rotates the others', async () => {
    await stored(Buffer.from('x'));
    expect(await rotate(ringOf('k2', 'k2'))).toEqual({ rewritten: 0, failures: 2 });
    expect(await countsUnder(ringOf('k1', 'k1'))).toEqual({ k1: 2 });
  });

  it('does not interrupt a reader that already opened the object', async () => {
    const object = await stored(randomBytes(300_000));
    const reading = await disk.store.read('incoming', object.key, object.etag);
    await rotate(ringOf('k2', 'k1', 'k2'));
    expect((await buffer(reading)).equals(object.bytes)).toBe(true);
  });

  it.each([1_000, 200_000])('does not restore an object that is replaced meanwhile', async (size) => {
    const [old, renewed] = [await stored(randomBytes(1_000)), await stored(randomBytes(size))];
    for (const { key } of [old, renewed]) await disk.store.remove('held', key);
    const pathOf = ({ key }: { key: string }) => disk.layout.object('incoming', key);
    const both = ringOf('k2', 'k1', 'k2');
    const upload = disk.layout.newTemporary();
    renameSync(pathOf(renewed), upload);
    // The key is decrypted between two reads of the file: the second upload finishes at that point.
    const replacing = {
      primaryKeyId: both.primaryKeyId,
      seal: both.seal.bind(both),
      open(...sealed: Parameters<KeyRing['open']>) {
        renameSync(upload, pathOf(old));
        return both.open(...sealed);
      },
    } as unknown as KeyRing;

    expect(await rotate(replacing)).toMatchObject({ rewritten: 0 });
    const now = { key: old.key, etag: renewed.etag };
    expect((await readWith(both, 'incoming', now)).equals(renewed.bytes)).toBe(true);
    expect(await disk.leftovers()).toEqual([]);
  });
});
