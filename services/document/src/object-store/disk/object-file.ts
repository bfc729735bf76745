import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { type Area, ObjectChanged, type StoredObject } from '../object-store.ts';
import { type Layout, onFiles, unlessAbsent } from './directory.ts';
import { readTrailer } from './object-trailer.ts';
import { placeOf, segmentOpener, unwrapDataKey } from './sealed-segments.ts';

const CHUNK_BYTES = 256 * 1024;

/** Returns the metadata of an object; undefined when there is none, or only an incomplete one. Needs no key. */
export function statObject(layout: Layout, area: Area, key: string): Promise<StoredObject | undefined> {
  return onFiles('stat an object', async () => {
    const file = await openObject(layout, area, key);
    if (!file) return undefined;
    try {
      const found = await readTrailer(file);
      if (!found) return undefined;
      const { byteSize, contentType, etag } = found;
      return { byteSize, contentType, etag };
    } finally {
      await file.close();
    }
  });
}

/**
 * Returns the object's plain bytes. Rejects with ObjectChanged when its ETag is not `etag`, and fails with
 * ObjectChanged during reading when a byte was modified. Throws when its data key cannot be decrypted.
 */
export async function readObject(
  { layout, keyRing }: { layout: Layout; keyRing: KeyRing },
  { area, key, etag }: { area: Area; key: string; etag: string },
): Promise<Readable> {
  const file = await onFiles('open an object', () => openObject(layout, area, key));
  if (!file) throw new ObjectChanged();
  try {
    const stored = await onFiles('read an object', () => readTrailer(file));
    if (stored?.etag !== etag) throw new ObjectChanged();
    const { wrappedKey } = stored;
    const content =
      wrappedKey === undefined
        ? verifiedBytes(file, stored)
        : openedBytes(file, stored.byteSize, unwrapDataKey(keyRing, wrappedKey, stored));
    const bytes = Readable.from(content, { objectMode: false, highWaterMark: CHUNK_BYTES });
    // Not in the generator, which never runs if its stream is destroyed unread.
    bytes.once('close', () => file.close().catch(() => {}));
    return bytes;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Yields each segment only if it is unmodified and in its original position. */
async function* openedBytes(file: FileHandle, byteSize: number, dataKey: Buffer): AsyncGenerator<Buffer> {
  const open = segmentOpener(dataKey);
  const read = Buffer.allocUnsafeSlow(placeOf(0, byteSize).length);
  for (let segment = 0; ; segment += 1) {
    const { start, length, last } = placeOf(segment, byteSize);
    const sealed = await onFiles('read an object', () => readInto(read.subarray(0, length), file, start));
    const plain = openedOr(() => open(sealed, { segment, last }));
    if (plain.length > 0) yield plain;
    if (last) return;
  }
}

function openedOr(open: () => Buffer): Buffer {
  try {
    return open();
  } catch {
    throw new ObjectChanged();
  }
}

/**
 * Yields the bytes of an object that was stored before encryption was introduced. Withholds the last chunk until the
 * digest matches the ETag, so that a corrupted object never reads to its end.
 */
async function* verifiedBytes(file: FileHandle, { byteSize, etag }: StoredObject): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for (let position = 0; position < byteSize; ) {
    const length = Math.min(CHUNK_BYTES, byteSize - position);
    const buffer = Buffer.allocUnsafeSlow(length);
    const chunk = await onFiles('read an object', () => readInto(buffer, file, position));
    position += chunk.length;
    hash.update(chunk);
    if (chunk.length === 0 || (position === byteSize && hash.digest('hex') !== etag))
      throw new ObjectChanged();
    yield chunk;
  }
}

/** Reads as many bytes as fit and as the file has from `position`. */
async function readInto(buffer: Buffer, file: FileHandle, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function openObject(layout: Layout, area: Area, key: string): Promise<FileHandle | undefined> {
  const file = await unlessAbsent(() => open(layout.object(area, key)));
  // Throws if the area's directory is missing: then the volume is missing and the object may well exist.
  if (!file) await stat(layout.area(area));
  return file;
}
