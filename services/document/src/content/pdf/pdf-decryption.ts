import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { Unreadable } from './pdf-syntax.ts';

/** The entries of an encryption dictionary that apply to a document (ISO 32000-2, 7.6). */
export interface Encryption {
  readonly version: number;
  readonly revision: number;
  readonly keyBytes: number;
  readonly permissions: number;
  readonly owner: Buffer;
  readonly user: Buffer;
  readonly userKey: Buffer;
  readonly encryptsMetadata: boolean;
  readonly streams: Method;
  readonly strings: Method;
}

export type Method = 'None' | 'V2' | 'AESV2' | 'AESV3';

export interface Decryption {
  readonly stream: (bytes: Buffer, number: number, generation: number) => Buffer;
  readonly text: (bytes: Buffer, number: number, generation: number) => Buffer;
}

/** Returns how to decrypt a document that opens without a password, given its possible first identifiers. */
export function decryptionOf(encryption: Encryption, identifiers: readonly Buffer[]): Decryption | undefined {
  const key = encryption.version >= 5 ? newKey(encryption) : oldKey(encryption, identifiers);
  if (!key) return undefined;
  const by = (method: Method) => (bytes: Buffer, number: number, generation: number) =>
    decrypted(method, key, bytes, number, generation);
  return { stream: by(encryption.streams), text: by(encryption.strings) };
}

function decrypted(method: Method, key: Buffer, bytes: Buffer, number: number, generation: number): Buffer {
  switch (method) {
    case 'None':
      return bytes;
    case 'V2':
      return rc4(objectKey(key, number, generation), bytes);
    case 'AESV2':
      return aes(objectKey(key, number, generation, 'sAlT'), bytes);
    case 'AESV3':
      return aes(key, bytes);
  }
}

function objectKey(key: Buffer, number: number, generation: number, salt = ''): Buffer {
  const suffix = Buffer.alloc(5);
  suffix.writeUIntLE(number & 0xffffff, 0, 3);
  suffix.writeUIntLE(generation & 0xffff, 3, 2);
  return md5(key, suffix, Buffer.from(salt)).subarray(0, Math.min(key.length + 5, 16));
}

function aes(key: Buffer, bytes: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, bytes.subarray(0, 16));
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  } catch (error) {
    throw new Unreadable('encrypted bytes', { cause: error });
  }
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

/** Algorithms 2, 4 and 5, with an empty password. */
function oldKey(encryption: Encryption, identifiers: readonly Buffer[]): Buffer | undefined {
  const { revision, keyBytes, permissions, owner, user, encryptsMetadata } = encryption;
  const signed = Buffer.alloc(4);
  signed.writeInt32LE(permissions | 0);
  const unencrypted = revision >= 4 && !encryptsMetadata ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  return identifiers
    .map((identifier) => {
      let key = md5(PADDING, owner, signed, identifier, unencrypted).subarray(0, keyBytes);
      if (revision >= 3) for (let round = 0; round < 50; round += 1) key = md5(key).subarray(0, keyBytes);
      if (revision === 2) return rc4(key, PADDING).equals(user) ? key : undefined;
      let check: Buffer = md5(PADDING, identifier);
      for (let round = 0; round < 20; round += 1)
        check = rc4(
          key.map((byte) => byte ^ round),
          check,
        );
      return check.equals(user.subarray(0, 16)) ? key : undefined;
    })
    .find((key) => key !== undefined);
}

/** Algorithms 2.A and 2.B, with an empty password. */
function newKey({ revision, user, userKey }: Encryption): Buffer | undefined {
  const hash = revision >= 6 ? hardened : (salt: Buffer) => sha(256, salt);
  if (!hash(user.subarray(32, 40)).equals(user.subarray(0, 32))) return undefined;
  if (userKey.length < 32) return undefined;
  const decipher = createDecipheriv('aes-256-cbc', hash(user.subarray(40, 48)), Buffer.alloc(16));
  return Buffer.concat([decipher.setAutoPadding(false).update(userKey.subarray(0, 32)), decipher.final()]);
}

function hardened(salt: Buffer): Buffer {
  let key = sha(256, salt);
  for (let round = 0; ; round += 1) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32));
    const mixed = cipher.setAutoPadding(false).update(Buffer.concat(Array<Buffer>(64).fill(key)));
    const remainder = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = sha(remainder === 0 ? 256 : remainder === 1 ? 384 : 512, mixed);
    if (round >= 63 && (mixed.at(-1) ?? 0) <= round - 31) return key.subarray(0, 32);
  }
}

const sha = (bits: number, bytes: Buffer) => createHash(`sha${bits}`).update(bytes).digest();
const md5 = (...parts: readonly Uint8Array[]) => createHash('md5').update(Buffer.concat(parts)).digest();

/** OpenSSL no longer offers it. */
function rc4(key: Uint8Array, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (one: number, other: number) => {
    const kept = state[one] ?? 0;
    state[one] = state[other] ?? 0;
    state[other] = kept;
  };
  for (let at = 0, other = 0; at < 256; at += 1) {
    other = (other + (state[at] ?? 0) + (key[at % key.length] ?? 0)) & 0xff;
    swap(at, other);
  }
  let [one, other] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      one = (one + 1) & 0xff;
      other = (other + (state[one] ?? 0)) & 0xff;
      swap(one, other);
      return byte ^ (state[((state[one] ?? 0) + (state[other] ?? 0)) & 0xff] ?? 0);
    }),
  );
}
