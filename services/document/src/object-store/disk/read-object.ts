import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Area, ObjectChanged, type StoredObject } from '../object-store.ts';
import { onFiles, unlessAbsent } from './file-errors.ts';
import type { Layout } from './layout.ts';
import { readTrailer } from './trailer.ts';

const CHUNK_BYTES = 256 * 1024;

/** What is known of an object; undefined when there is none, or none that is whole. */
export function statObject(layout: Layout, area: Area, key: string): Promise<StoredObject | undefined> {
  return onFiles('look at an object', async () => {
    const file = await openObject(layout, area, key);
    if (!file) return undefined;
    try {
      return await readTrailer(file);
    } finally {
      await file.close();
    }
  });
}

/** The object's bytes; rejects with ObjectChanged when it is not the one of `etag`. */
export async function readObject(layout: Layout, area: Area, key: string, etag: string): Promise<Readable> {
  const file = await onFiles('open an object', () => openObject(layout, area, key));
  if (!file) throw new ObjectChanged();
  try {
    const kept = await onFiles('read an object', () => readTrailer(file));
    if (kept?.etag !== etag) throw new ObjectChanged();
    const bytes = Readable.from(verifiedBytes(file, kept), { objectMode: false, highWaterMark: CHUNK_BYTES });
    // Not in the generator: one that is given up unread never runs.
    bytes.once('close', () => file.close().catch(() => {}));
    return bytes;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The last chunk is withheld until the bytes have proved to be those of the ETag: what rots on the disk never passes. */
async function* verifiedBytes(file: FileHandle, { byteSize, etag }: StoredObject): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for (let position = 0; position < byteSize; ) {
    const chunk = await onFiles('read an object', () => readChunk(file, position, byteSize));
    position += chunk.length;
    hash.update(chunk);
    if (chunk.length === 0 || (position === byteSize && hash.digest('hex') !== etag))
      throw new ObjectChanged();
    yield chunk;
  }
}

async function readChunk(file: FileHandle, position: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  return buffer.subarray(0, bytesRead);
}

async function openObject(layout: Layout, area: Area, key: string): Promise<FileHandle | undefined> {
  const file = await unlessAbsent(() => open(layout.object(area, key)));
  // Where the folder is missing, so is the volume: that says nothing about the object.
  if (!file) await stat(layout.area(area));
  return file;
}
