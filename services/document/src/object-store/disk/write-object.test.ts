import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { newKey } from '../../../testing/object-store-suite.ts';
import { openTestDiskStore, type TestDiskStore } from '../../../testing/test-disk-store.ts';
import { writeObject } from './write-object.ts';

const MIB = 1024 * 1024;
const DOCUMENT_BYTES = 25 * MIB;
/** Less than a twelfth of the document, excluding the test's own chunk. */
const MAX_EXTRA_BYTES = 2 * MIB;

let disk: TestDiskStore;
beforeEach(async () => {
  disk = await openTestDiskStore();
});
afterEach(() => disk.close());

it('sealing a document uses the memory of a few segments, without relying on garbage collection', async () => {
  const chunk = randomBytes(MIB / 4);
  const key = newKey();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  async function* document() {
    for (let at = 0; at < DOCUMENT_BYTES; at += chunk.length) {
      yield chunk;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
  }
  const admitted = { key, contentType: 'application/pdf', byteSize: DOCUMENT_BYTES };
  const etag = await writeObject(disk, admitted, document());

  expect(most).toBeLessThan(MAX_EXTRA_BYTES);
  const stored = await buffer(await disk.store.read('incoming', key, etag));
  expect(stored.length).toBe(DOCUMENT_BYTES);
  for (let at = 0; at < DOCUMENT_BYTES; at += chunk.length)
    expect(stored.subarray(at, at + chunk.length).equals(chunk)).toBe(true);
});
