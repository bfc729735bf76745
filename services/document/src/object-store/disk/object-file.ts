import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Area, ObjectChanged, type StoredObject } from '../object-store.ts';
import { type Layout, onFiles, unlessAbsent } from './directory.ts';

/** Length of the description at the end of every object's file, in bytes. */
export const TRAILER_LENGTH = 256;

const CHUNK_BYTES = 256 * 1024;

const trailer = z.strictObject({
  format: z.literal(1),
  byteSize: z.int().nonnegative(),
  contentType: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/**
 * The description that is written behind an object's bytes: one file holds both, so that no crash can part them, and a
 * hard link carries them along. Throws when the content type is too long for it.
 */
export function encodeTrailer({ byteSize, contentType, etag }: StoredObject): Buffer {
  const text = JSON.stringify({ format: 1, byteSize, contentType, sha256: etag });
  const bytes = Buffer.from(text.padEnd(TRAILER_LENGTH));
  if (bytes.length !== TRAILER_LENGTH) throw new Error('content type too long for the trailer of an object');
  return bytes;
}

/** The description of an object's file; undefined when the file is incomplete. */
export async function readTrailer(file: FileHandle): Promise<StoredObject | undefined> {
  const { size } = await file.stat();
  if (size < TRAILER_LENGTH) return undefined;
  const bytes = Buffer.alloc(TRAILER_LENGTH);
  await file.read(bytes, 0, TRAILER_LENGTH, size - TRAILER_LENGTH);
  const parsed = trailer.safeParse(jsonOf(bytes));
  if (!parsed.success || parsed.data.byteSize !== size - TRAILER_LENGTH) return undefined;
  const { byteSize, contentType, sha256: etag } = parsed.data;
  return { byteSize, contentType, etag };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** What is known of an object; undefined when there is none, or only an incomplete one. */
export function statObject(layout: Layout, area: Area, key: string): Promise<StoredObject | undefined> {
  return onFiles('stat an object', async () => {
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
    const stored = await onFiles('read an object', () => readTrailer(file));
    if (stored?.etag !== etag) throw new ObjectChanged();
    const bytes = Readable.from(verifiedBytes(file, stored), {
      objectMode: false,
      highWaterMark: CHUNK_BYTES,
    });
    // Not in the generator: one whose stream is destroyed unread never runs.
    bytes.once('close', () => file.close().catch(() => {}));
    return bytes;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Withholds the last chunk until the bytes have the digest of the ETag: corrupted objects never reach their end. */
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
  // Throws where the directory of the area is missing: then the volume is, and the object may well exist.
  if (!file) await stat(layout.area(area));
  return file;
}
