import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { Area } from '../object-store.ts';
import { type Layout, onFiles, syncDirectory } from './directory.ts';
import { encodeTrailer } from './object-trailer.ts';
import { newDataKey, SEGMENT_BYTES, sealedSize, segmentSealer, wrapDataKey } from './sealed-segments.ts';

/**
 * Writes the bytes of `source` as the incoming object `key`, sealed under a new data key, and resolves to its ETag, the
 * SHA-256 of its bytes, once it is synced to disk. Uses 192 KiB of memory at any size. Always creates a new file: an
 * existing object, and every hard link to it, is unchanged. Rejects without leaving a file when the source fails or
 * yields another number of bytes; rejects with StoreUnavailable when the file system fails.
 */
export async function writeObject(
  { layout, keyRing }: { layout: Layout; keyRing: KeyRing },
  { key, contentType, byteSize }: { key: string; contentType: string; byteSize: number },
  source: AsyncIterable<Uint8Array>,
): Promise<string> {
  const temporary = layout.newTemporary();
  const file = await onFiles('open a file', () => open(temporary, 'wx', 0o600));
  try {
    const dataKey = newDataKey();
    const etag = await writeSealed(file, { byteSize, dataKey }, source);
    const written = { byteSize, contentType, etag };
    const trailer = encodeTrailer(written, wrapDataKey(keyRing, dataKey, written));
    await onFiles('finish an object', async () => {
      await writeWhole(file, [trailer], sealedSize(byteSize));
      await file.sync();
      await publish(layout, temporary, 'incoming', key);
    });
    return etag;
  } finally {
    await file.close().catch(() => {});
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Writes one segment while the next one fills. Resolves to the SHA-256 of the plain bytes. */
async function writeSealed(
  file: FileHandle,
  { byteSize, dataKey }: { byteSize: number; dataKey: Buffer },
  source: AsyncIterable<Uint8Array>,
): Promise<string> {
  const hash = createHash('sha256');
  const seal = segmentSealer(dataKey);
  const segment = Buffer.allocUnsafeSlow(SEGMENT_BYTES);
  let filled = 0;
  let received = 0;
  let position = 0;
  let writing: Promise<void> = Promise.resolve();

  async function flush(last: boolean): Promise<void> {
    const plain = segment.subarray(0, filled);
    filled = 0;
    hash.update(plain);
    const sealed = seal(plain, last);
    const at = position;
    position += sealed[0].length + sealed[1].length;
    await writing;
    writing = onFiles('write', () => writeWhole(file, sealed, at)).finally(() => release(sealed[0]));
    // The next flush awaits it; an earlier failure must not count as an unhandled rejection.
    writing.catch(() => {});
  }

  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + SEGMENT_BYTES - filled);
        segment.set(part, filled);
        filled += part.length;
        received += part.length;
        at += part.length;
        if (filled === SEGMENT_BYTES && received !== byteSize) await flush(false);
      }
      if (received > byteSize) break;
    }
    if (received === byteSize) await flush(true);
  } finally {
    await writing.catch(() => {});
  }
  await writing;
  if (received !== byteSize) throw new Error(`${received} bytes received, ${byteSize} expected`);
  return hash.digest('hex');
}

/**
 * Frees the memory of an unused buffer, which is empty afterwards. OpenSSL allocates a separate buffer for each
 * segment, and hundreds of them would await garbage collection during one document.
 */
function release({ buffer, byteLength }: Buffer<ArrayBuffer>): void {
  // Shared memory must wait for the garbage collector.
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Writes all pieces in sequence from `position`. */
async function writeWhole(file: FileHandle, pieces: readonly Uint8Array[], position: number): Promise<void> {
  const { bytesWritten } = await file.writev([...pieces], position);
  const total = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytesWritten === total) return;
  const whole = Buffer.concat(pieces);
  for (let done = bytesWritten; done < total; )
    done += (await file.write(whole, done, total - done, position + done)).bytesWritten;
}

/**
 * Moves a complete temporary file to its object's path and syncs the directory, so that an object exists in full or not
 * at all. Replaces an object with the same key.
 */
export async function publish(layout: Layout, temporary: string, area: Area, key: string): Promise<void> {
  const shard = layout.shard(area, key);
  // Never creates the area's directory: if it is missing, so is the volume, and nothing may be written.
  if (await mkdir(shard).then(() => true, ignoreExisting)) await syncDirectory(layout.area(area));
  await rename(temporary, layout.object(area, key));
  await syncDirectory(shard);
}

function ignoreExisting(error: NodeJS.ErrnoException): false {
  if (error.code !== 'EEXIST') throw error;
  return false;
}
