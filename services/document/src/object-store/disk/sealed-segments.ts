import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { AssociatedData, KeyRing } from '@supplier/lib/data/crypto';
import type { StoredObject } from '../object-store.ts';

/** Plain bytes of every segment but the last, which has fewer or as many. */
export const SEGMENT_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** The key of one object's bytes; new for every object, so that no nonce is used twice. */
export function newDataKey(): Buffer {
  return randomBytes(DATA_KEY_BYTES);
}

/**
 * Seals a data key under the primary key of the ring, bound to what the object is: its size, type or ETag cannot be
 * changed without the key.
 */
export function wrapDataKey(keyRing: KeyRing, dataKey: Buffer, object: StoredObject): string {
  return Buffer.from(keyRing.seal(dataKey, dataKeyAad(object))).toString('base64');
}

/** Opens what {@link wrapDataKey} sealed. Throws when the description was changed or the key is not in the ring. */
export function unwrapDataKey(keyRing: KeyRing, wrapped: string, object: StoredObject): Buffer {
  return Buffer.from(keyRing.open(Buffer.from(wrapped, 'base64'), dataKeyAad(object)));
}

/** Not the object's place: a copy is a second link to the same file. */
function dataKeyAad({ etag, byteSize, contentType }: StoredObject): AssociatedData {
  return { table: 'object', column: 'data_key', row: `${etag} ${byteSize} ${contentType}` };
}

/** Bytes that a sealed object of `byteSize` plain bytes takes, without its description. An empty one has a segment. */
export function sealedSize(byteSize: number): number {
  return byteSize + TAG_BYTES * segmentsOf(byteSize);
}

/**
 * Where a segment of an object of `byteSize` plain bytes lies: its first sealed byte, and its sealed length. Segments
 * are numbered from 0.
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
 * Seals the segments of one object, in order: AES-256-GCM with a nonce of the segment's number and whether it is the
 * last, so that segments that are exchanged, left out or cut off do not open.
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

/** Opens sealed segments. Throws when a segment is not the one of that number, or was changed. */
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
    // Throws: nothing of a segment is passed on before all of it is known to be as it was written.
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
