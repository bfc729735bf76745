import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import type { StoredObject } from '../object-store.ts';

/** Every object's file ends with as many bytes that describe it. */
export const TRAILER_LENGTH = 256;

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
  if (bytes.length !== TRAILER_LENGTH) throw new Error('a content type is too long to be kept');
  return bytes;
}

/** What an object's file says of itself; undefined when it is not whole. */
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
