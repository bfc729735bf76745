import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../runtime/config/index.ts';

/** The associated data of a sealed value: its location. A value copied to another row or column does not open. */
export interface AssociatedData {
  readonly table: string;
  readonly column: string;
  readonly row: string;
}

const FORMAT = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

const key = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 32 && bytes.toString('base64') === text) return bytes;
  context.addIssue('is not the base64 of 32 bytes');
  return z.NEVER;
});
const keyId = z.string().regex(/^[0-9a-z-]{1,32}$/);
const MAX_KEYS = 32;
/** Every lookup by digest runs under each of these keys. */
const MAX_DIGEST_KEYS = 4;
/** The id of a digest key that the ring file does not name. Rows written before key names were stored use it. */
const FIRST_DIGEST_KEY = 'd1';

const keysUpTo = (max: number) =>
  z.record(keyId, key).refine((keys) => Object.keys(keys).length <= max, 'too many keys');
const sealingKeys = { primary: keyId, keys: keysUpTo(MAX_KEYS) };
const ringFile = z
  .union([
    z.strictObject({ ...sealingKeys, primaryDigestKey: keyId, digestKeys: keysUpTo(MAX_DIGEST_KEYS) }),
    z.strictObject({ ...sealingKeys, digestKey: key }).transform(({ digestKey, ...ring }) => ({
      ...ring,
      primaryDigestKey: FIRST_DIGEST_KEY,
      digestKeys: { [FIRST_DIGEST_KEY]: digestKey },
    })),
  ])
  .refine((ring) => Object.hasOwn(ring.keys, ring.primary))
  .refine((ring) => Object.hasOwn(ring.digestKeys, ring.primaryDigestKey));

type Bytes = string | Uint8Array;

/** Sealing keys and digest keys have separate ids. */
export type KeyPurpose = 'seal' | 'digest';

export interface KeyOfRing {
  readonly purpose: KeyPurpose;
  readonly id: string;
  /** Whether new values are written under this key. */
  readonly primary: boolean;
  /** Eight bytes that are equal for equal keys and reveal nothing about them. */
  readonly checkValue: Uint8Array<ArrayBuffer>;
}

/**
 * Seals values with AES-256-GCM under the primary key, and opens values sealed under any key in the ring. Digests are
 * HMAC-SHA256 under separate keys, derived per purpose. They are created under the primary digest key but looked up and
 * compared under each, so that a new key can take over while values under the old one remain (ADR 16). Implements
 * docs/contract.md, section 10.
 */
export class KeyRing {
  readonly #primaryKey: KeyObject;
  readonly #header: Buffer;
  // Key objects: Node.js would import raw bytes again for every operation, which costs more than the operation.
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** The primary key comes first. */
  readonly #digestKeys: readonly DigestKey[];
  readonly all: readonly KeyOfRing[];
  readonly primaryKeyId: string;
  /** The id of the key that `digest` uses. */
  readonly digestKeyId: string;

  private constructor(ring: z.infer<typeof ringFile>) {
    this.#keys = new Map(Object.entries(ring.keys).map(([id, bytes]) => [id, createSecretKey(bytes)]));
    this.#primaryKey = this.#keyOf(ring.primary);
    this.#header = headerOf(ring.primary);
    this.primaryKeyId = ring.primary;
    this.digestKeyId = ring.primaryDigestKey;
    this.#digestKeys = Object.entries(ring.digestKeys)
      .sort(([a], [b]) => Number(b === this.digestKeyId) - Number(a === this.digestKeyId))
      .map(([, bytes]) => new DigestKey(bytes));
    this.all = [
      ...describeKeys('seal', ring.keys, ring.primary),
      ...describeKeys('digest', ring.digestKeys, ring.primaryDigestKey),
    ];
  }

  /**
   * Reads `{"primary", "keys": {id: base64}, "primaryDigestKey", "digestKeys": {id: base64}}`: at most 32 sealing keys
   * and 4 digest keys. `"digestKey": base64` in place of the last two gives a single digest key with the id `d1`.
   * Throws a ConfigError that names the setting and never quotes the file.
   */
  static fromFile(path: string, setting = 'SSS_KEY_RING_FILE'): KeyRing {
    try {
      return KeyRing.fromJson(readFileSync(path, 'utf8'));
    } catch {
      throw new ConfigError(`bad configuration: ${setting} must be a readable key ring`);
    }
  }

  static fromJson(text: string): KeyRing {
    return new KeyRing(ringFile.parse(JSON.parse(text)));
  }

  /** Seals a value. Layout: format, length of the key id, key id, nonce, ciphertext, tag. */
  seal(plain: Uint8Array, aad: AssociatedData): Uint8Array<ArrayBuffer> {
    const header = this.#header;
    const nonce = nextNonce();
    const cipher = createCipheriv('aes-256-gcm', this.#primaryKey, nonce).setAAD(aadBytes(header, aad));
    const start = header.length + NONCE_LENGTH;
    const sealed = new Uint8Array(start + plain.length + TAG_LENGTH);
    sealed.set(header);
    sealed.set(nonce, header.length);
    sealed.set(cipher.update(plain), start);
    // In GCM mode `final` returns no ciphertext; it only completes the tag.
    cipher.final();
    sealed.set(cipher.getAuthTag(), start + plain.length);
    return sealed;
  }

  /** Opens a sealed value. Throws if it was sealed for another location or changed, or its key is not in the ring. */
  open(sealed: Uint8Array, aad: AssociatedData): Uint8Array<ArrayBuffer> {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const idLength = bytes[1] ?? 0;
    const start = 2 + idLength + NONCE_LENGTH;
    if (bytes[0] !== FORMAT || bytes.length < start + TAG_LENGTH) throw new Error('not a sealed value');
    const header = bytes.subarray(0, 2 + idLength);
    const decipher = createDecipheriv(
      'aes-256-gcm',
      this.#keyOf(header.toString('latin1', 2)),
      bytes.subarray(2 + idLength, start),
      { authTagLength: TAG_LENGTH },
    )
      .setAAD(aadBytes(header, aad))
      .setAuthTag(bytes.subarray(-TAG_LENGTH));
    return new Uint8Array(
      Buffer.concat([decipher.update(bytes.subarray(start, -TAG_LENGTH)), decipher.final()]),
    );
  }

  /**
   * Returns 32 bytes, equal for equal data and purpose, that reveal nothing without the key. Uses the primary key. Several
   * parts count as one text.
   */
  digest(purpose: string, ...data: readonly Bytes[]): Uint8Array<ArrayBuffer> {
    const [primary] = this.#digestKeys;
    if (!primary) throw new Error('invariant violated: a key ring without digest keys');
    return primary.digest(purpose, data);
  }

  /** Returns the digests under every key in the ring, the primary first. A stored value may be under any of them. */
  digests(purpose: string, ...data: readonly Bytes[]): Uint8Array<ArrayBuffer>[] {
    return this.#digestKeys.map((digestKey) => digestKey.digest(purpose, data));
  }

  /** Returns whether `stored` is the digest of the data under any key in the ring. Compares in constant time. */
  isDigest(stored: Uint8Array, purpose: string, ...data: readonly Bytes[]): boolean {
    return this.digests(purpose, ...data)
      .map((made) => made.length === stored.length && timingSafeEqual(made, stored))
      .includes(true);
  }

  /** False during a rotation, when digests may be under several keys. */
  get hasOneDigestKey(): boolean {
    return this.#digestKeys.length === 1;
  }

  #keyOf(id: string): KeyObject {
    const found = this.#keys.get(id);
    if (!found) throw new Error('the key of a sealed value is not in the ring');
    return found;
  }
}

/** Returns the header of every value sealed under a key: format, length of the key id, key id. */
export function headerOf(sealingKeyId: string): Buffer<ArrayBuffer> {
  return Buffer.from([FORMAT, sealingKeyId.length, ...Buffer.from(sealingKeyId)]);
}

function describeKeys(purpose: KeyPurpose, keys: Record<string, Buffer>, primary: string): KeyOfRing[] {
  return Object.entries(keys).map(([id, bytes]) => ({
    purpose,
    id,
    primary: id === primary,
    checkValue: new Uint8Array(hkdfSync('sha256', bytes, '', `check/${purpose}`, 8)),
  }));
}

/** Derives one key per purpose and caches it. */
class DigestKey {
  readonly #bytes: Buffer;
  readonly #purposeKeys = new Map<string, KeyObject>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  digest(purpose: string, data: readonly Bytes[]): Uint8Array<ArrayBuffer> {
    let purposeKey = this.#purposeKeys.get(purpose);
    if (!purposeKey) {
      purposeKey = createSecretKey(Buffer.from(hkdfSync('sha256', this.#bytes, '', `digest/${purpose}`, 32)));
      this.#purposeKeys.set(purpose, purposeKey);
    }
    const hmac = createHmac('sha256', purposeKey);
    for (const part of data) hmac.update(part);
    return new Uint8Array(hmac.digest());
  }
}

/** The header is ASCII, so Latin-1 preserves its bytes. */
function aadBytes(header: Buffer, { table, column, row }: AssociatedData): Buffer {
  return Buffer.from(header.toString('latin1') + JSON.stringify([table, column, row]));
}

const nonces = Buffer.alloc(NONCE_LENGTH * 256);
let noncesUsed = nonces.length;

/** Returns random bytes, each used once. Draws for many values at a time because a draw costs as much as a cipher. */
function nextNonce(): Uint8Array {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces);
    noncesUsed = 0;
  }
  noncesUsed += NONCE_LENGTH;
  return nonces.subarray(noncesUsed - NONCE_LENGTH, noncesUsed);
}
