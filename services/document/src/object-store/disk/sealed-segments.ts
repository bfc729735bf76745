import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { AssociatedData, KeyRing } from '@supplier/lib/data/crypto';
import type { StoredObject } from '../object-store.ts';

/** Plain bytes in every segment except the last, which has at most as many. */
export const SEGMENT_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** Returns a key for one object's bytes; new for every object, so that no nonce is reused. */
export function newDataKey(): Buffer {
  return randomBytes(DATA_KEY_BYTES);
}

/**
 * Seals a data key under the primary key of the ring, bound to the object's metadata: its size, type and ETag cannot be
 * changed without the key.
 */
export function wrapDataKey(keyRing: KeyRing, dataKey: Buffer, object: StoredObject): string {
  return Buffer.from(keyRing.seal(dataKey, dataKeyAad(object))).toString('base64');
}

/**
 * Opens a data key sealed by {@link wrapDataKey}. Throws when the metadata was changed or the key is not in the ring.
 */
export function unwrapDataKey(keyRing: KeyRing, wrapped: string, object: StoredObject): Buffer {
  return Buffer.from(keyRing.open(Buffer.from(wrapped, 'base64'), dataKeyAad(object)));
}

/** Excludes the object's key, because a copy is a second link to the same file. */
function dataKeyAad({ etag, byteSize, contentType }: StoredObject): AssociatedData {
  return { table: 'object', column: 'data_key', row: `${etag} ${byteSize} ${contentType}` };
}

/**
 * Returns the size of a sealed object of `byteSize` plain bytes, without its metadata. An empty object has one segment.
 */
export function sealedSize(byteSize: number): number {
  return byteSize + TAG_BYTES * segmentsOf(byteSize);
}

/**
 * Returns the offset and sealed length of a segment in an object of `byteSize` plain bytes. Segments are numbered from
 * 0.
 */
export function placeOf(segment: number, byteSize: number): { start: number; length: number; last: boolean } {
  const last = segment === segmentsOf(byteSize) - 1;
  const plain = last ? byteSize - segment * SEGMENT_BYTES : SEGMENT_BYTES;
  return { start: segment * (SEGMENT_BYTES + TAG_BYTES), length: plain + TAG_BYTES, last };
}

function segmentsOf(byteSize: number): number {
  return Math.max(1, Math.ceil(byteSize / SEGMENT_BYTES));
}

/**
 * Seals the segments of one object, in order: AES-256-GCM with a nonce made of the segment's number and whether it is
 * the last, so that segments that are swapped, omitted or truncated do not open.
 */
export function segmentSealer(
  dataKey: Buffer,
): (plain: Uint8Array, last: boolean) => [sealed: Buffer<ArrayBuffer>, tag: Buffer] {
  const key = createSecretKey(dataKey);
  let segment = 0;
  return (plain, last) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(segment, last));
    segment += 1;
    const sealed = cipher.update(plain);
    cipher.final();
    return [sealed, cipher.getAuthTag()];
  };
}

/** Opens sealed segments. Throws when a segment was modified or has another number. */
export function segmentOpener(
  dataKey: Buffer,
): (sealed: Buffer, place: { segment: number; last: boolean }) => Buffer {
  const key: KeyObject = createSecretKey(dataKey);
  return (sealed, { segment, last }) => {
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(segment, last), {
      authTagLength: TAG_BYTES,
    }).setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(0, end));
    // Throws on failure: no part of a segment is returned before all of it is authenticated.
    decipher.final();
    return plain;
  };
}

function nonceOf(segment: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(segment, NONCE_BYTES - 5);
  nonce[NONCE_BYTES - 1] = last ? 1 : 0;
  return nonce;
}
