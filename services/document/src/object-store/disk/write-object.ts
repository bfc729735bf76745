import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { Area } from '../object-store.ts';
import { type Layout, onFiles, syncDirectory } from './directory.ts';
import { encodeTrailer } from './object-trailer.ts';
import { newDataKey, SEGMENT_BYTES, sealedSize, segmentSealer, wrapDataKey } from './sealed-segments.ts';

/**
 * Writes what `source` yields as the incoming object `key` and resolves to its ETag, the SHA-256 of its bytes, once it
 * is synced to the disk, sealed under a key of its own. Memory: 192 KiB, whatever the size. Always makes a new file: an
 * existing object, and every hard link to it, stays as it is. Rejects, and leaves no file behind, when the source fails
 * or yields another number of bytes; rejects with StoreUnavailable when the file system refuses.
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
    // The next flush awaits it; a failure before that must not count as an unhandled rejection.
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
 * Gives back the memory of a buffer that nobody uses any more; it is empty afterwards. What OpenSSL makes are buffers of
 * their own, and hundreds of them would wait for the collector while one document passes.
 */
function release({ buffer, byteLength }: Buffer<ArrayBuffer>): void {
  // Memory that others share has to wait.
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Writes all of the pieces, one behind the other, from `position` on. */
async function writeWhole(file: FileHandle, pieces: readonly Uint8Array[], position: number): Promise<void> {
  const { bytesWritten } = await file.writev([...pieces], position);
  const total = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytesWritten === total) return;
  const whole = Buffer.concat(pieces);
  for (let done = bytesWritten; done < total; )
    done += (await file.write(whole, done, total - done, position + done)).bytesWritten;
}

/**
 * Moves a complete temporary file to the place of its object and syncs the directory: an object exists whole, or not at
 * all. Replaces an object of the same key.
 */
export async function publish(layout: Layout, temporary: string, area: Area, key: string): Promise<void> {
  const shard = layout.shard(area, key);
  // The directory of the area is never made here: where it is missing, so is the volume, and nothing may be written.
  if (await mkdir(shard).then(() => true, ignoreExisting)) await syncDirectory(layout.area(area));
  await rename(temporary, layout.object(area, key));
  await syncDirectory(shard);
}

function ignoreExisting(error: NodeJS.ErrnoException): false {
  if (error.code !== 'EEXIST') throw error;
  return false;
}
