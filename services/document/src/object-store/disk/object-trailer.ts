import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import type { StoredObject } from '../object-store.ts';
import { sealedSize } from './sealed-segments.ts';

/** Length of the metadata at the end of every object's file, in bytes. */
const TRAILER_LENGTH = 512;
/** Trailer length of files stored before encryption was introduced. Supported as long as any exist. */
const PLAIN_TRAILER_LENGTH = 256;

/** The metadata at the end of an object's file. */
export interface DescribedObject extends StoredObject {
  /** The object's sealed data key; undefined for an object stored before encryption was introduced. */
  readonly wrappedKey: string | undefined;
}

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const plainTrailer = z.strictObject({
  format: z.literal(1),
  byteSize: z.int().nonnegative(),
  contentType: z.string(),
  sha256: digest,
});
const sealedTrailer = z.strictObject({
  format: z.literal(2),
  byteSize: z.int().nonnegative(),
  contentType: z.string(),
  sha256: digest,
  key: z.base64(),
});

/**
 * Returns the metadata to append to an object's bytes. One file contains both, so that a crash cannot separate them and
 * a hard link includes them. Throws when the content type is too long to fit.
 */
export function encodeTrailer({ byteSize, contentType, etag }: StoredObject, wrappedKey: string): Buffer {
  const text = JSON.stringify({ format: 2, byteSize, contentType, sha256: etag, key: wrappedKey });
  const bytes = Buffer.from(text.padEnd(TRAILER_LENGTH));
  if (bytes.length !== TRAILER_LENGTH) throw new Error('content type too long for the trailer of an object');
  return bytes;
}

/** Reads the metadata of an object's file; undefined when the file is incomplete. */
export async function readTrailer(file: FileHandle): Promise<DescribedObject | undefined> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(size, TRAILER_LENGTH));
  await file.read(bytes, 0, bytes.length, size - bytes.length);
  const sealed = sealedTrailer.safeParse(jsonOf(bytes));
  if (sealed.success) {
    const { byteSize, contentType, sha256: etag, key: wrappedKey } = sealed.data;
    const complete = sealedSize(byteSize) === size - TRAILER_LENGTH;
    return complete ? { byteSize, contentType, etag, wrappedKey } : undefined;
  }
  const plain = plainTrailer.safeParse(jsonOf(bytes.subarray(-PLAIN_TRAILER_LENGTH)));
  if (!plain.success || plain.data.byteSize !== size - PLAIN_TRAILER_LENGTH) return undefined;
  const { byteSize, contentType, sha256: etag } = plain.data;
  return { byteSize, contentType, etag, wrappedKey: undefined };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
