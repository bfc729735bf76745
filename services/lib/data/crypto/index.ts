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

/** The associated data of a sealed value: where it is stored. Copied to another row or column, it does not open. */
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
/** Every lookup by digest is made under each of them. */
const MAX_DIGEST_KEYS = 4;
/** The name of the digest key where a ring file gives it none; rows of versions that stored no name use it. */
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

/** Keys either seal values or make digests; the ids of the two kinds have nothing to do with each other. */
export type KeyPurpose = 'seal' | 'digest';

/** What other modules may know of a key of the ring. */
export interface KeyOfRing {
  readonly purpose: KeyPurpose;
  readonly id: string;
  /** Whether new values are written under it. */
  readonly primary: boolean;
  /** Eight bytes that are equal for equal keys and reveal nothing of them. */
  readonly checkValue: Uint8Array<ArrayBuffer>;
}

/**
 * Seals values with AES-256-GCM under the primary key and opens them with whichever key of the ring sealed them.
 * Digests are HMAC-SHA256 under keys of their own, derived per purpose: made under the primary one, and looked up and
 * compared under each, so that a new key can take over while values of the old one are still there (ADR 16).
 * Implements docs/contract.md, section 10.
 */
export class KeyRing {
  readonly #primaryKey: KeyObject;
  readonly #header: Buffer;
  // Key objects: raw bytes would be imported again by every operation, which costs more than the operation.
  readonly #keys: ReadonlyMap<string, KeyObject>;
  /** The primary one first. */
  readonly #digestKeys: readonly DigestKey[];
  /** Every key of the ring, by purpose and id. */
  readonly all: readonly KeyOfRing[];
  /** The id of the key that seals. */
  readonly primaryKeyId: string;
  /** The id of the key that `digest` works under. */
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
   * Reads `{"primary", "keys": {id: base64}, "primaryDigestKey", "digestKeys": {id: base64}}`: at most 32 keys that
   * seal and 4 that make digests. `"digestKey": base64` in place of the last two gives a single key with the id `d1`.
   * Throws a ConfigError that repeats nothing of the file.
   */
  static fromFile(path: string): KeyRing {
    try {
      return KeyRing.fromJson(readFileSync(path, 'utf8'));
    } catch {
      throw new ConfigError('bad configuration: SSS_KEY_RING_FILE does not name a readable key ring');
    }
  }

  static fromJson(text: string): KeyRing {
    return new KeyRing(ringFile.parse(JSON.parse(text)));
  }

  /** Layout: format, length of the key's id, the id, nonce, ciphertext, tag. */
  seal(plain: Uint8Array, aad: AssociatedData): Uint8Array<ArrayBuffer> {
    const header = this.#header;
    const nonce = nextNonce();
    const cipher = createCipheriv('aes-256-gcm', this.#primaryKey, nonce).setAAD(aadBytes(header, aad));
    const start = header.length + NONCE_LENGTH;
    const sealed = new Uint8Array(start + plain.length + TAG_LENGTH);
    sealed.set(header);
    sealed.set(nonce, header.length);
    sealed.set(cipher.update(plain), start);
    // In this mode `final` returns no more ciphertext; it only completes the tag.
    cipher.final();
    sealed.set(cipher.getAuthTag(), start + plain.length);
    return sealed;
  }

  /** Throws when the value was sealed elsewhere, was changed, or its key is not in the ring. */
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

  /** 32 bytes that are equal for equal data of one purpose and reveal nothing without the key; under the primary one. */
  digest(purpose: string, data: string | Uint8Array): Uint8Array<ArrayBuffer> {
    const [primary] = this.#digestKeys;
    if (!primary) throw new Error('invariant violated: a key ring without digest keys');
    return primary.digest(purpose, data);
  }

  /** The digests under every key of the ring, that of `digest` first: a value found by digest may be under any of them. */
  digests(purpose: string, data: string | Uint8Array): Uint8Array<ArrayBuffer>[] {
    return this.#digestKeys.map((digestKey) => digestKey.digest(purpose, data));
  }

  /** Whether `stored` is the digest of these data under any key of the ring; the time it takes reveals nothing else. */
  isDigest(stored: Uint8Array, purpose: string, data: string | Uint8Array): boolean {
    return this.digests(purpose, data)
      .map((made) => made.length === stored.length && timingSafeEqual(made, stored))
      .includes(true);
  }

  /** Whether all digests are under one key, which they are not during a rotation. */
  get hasOneDigestKey(): boolean {
    return this.#digestKeys.length === 1;
  }

  #keyOf(id: string): KeyObject {
    const found = this.#keys.get(id);
    if (!found) throw new Error('the key of a sealed value is not in the ring');
    return found;
  }
}

/** What every value sealed under a key begins with: format, length of the key's id, the id. */
export function headerOf(sealingKeyId: string): Buffer<ArrayBuffer> {
  return Buffer.from([FORMAT, sealingKeyId.length, ...Buffer.from(sealingKeyId)]);
}

/** The id of the key that a value is sealed under. Throws when it is not a sealed value. */
export function keyIdOf(sealed: Uint8Array): string {
  const length = sealed[1] ?? 0;
  if (sealed[0] !== FORMAT || sealed.length < 2 + length) throw new Error('not a sealed value');
  return Buffer.from(sealed.subarray(2, 2 + length)).toString();
}

function describeKeys(purpose: KeyPurpose, keys: Record<string, Buffer>, primary: string): KeyOfRing[] {
  return Object.entries(keys).map(([id, bytes]) => ({
    purpose,
    id,
    primary: id === primary,
    checkValue: new Uint8Array(hkdfSync('sha256', bytes, '', `check/${purpose}`, 8)),
  }));
}

/** Derives a key for each purpose, once. */
class DigestKey {
  readonly #bytes: Buffer;
  readonly #purposeKeys = new Map<string, KeyObject>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  digest(purpose: string, data: string | Uint8Array): Uint8Array<ArrayBuffer> {
    let purposeKey = this.#purposeKeys.get(purpose);
    if (!purposeKey) {
      purposeKey = createSecretKey(Buffer.from(hkdfSync('sha256', this.#bytes, '', `digest/${purpose}`, 32)));
      this.#purposeKeys.set(purpose, purposeKey);
    }
    return new Uint8Array(createHmac('sha256', purposeKey).update(data).digest());
  }
}

/** The header is ASCII, so its bytes equal those of the text. */
function aadBytes(header: Buffer, { table, column, row }: AssociatedData): Buffer {
  return Buffer.from(header.toString('latin1') + JSON.stringify([table, column, row]));
}

const nonces = Buffer.alloc(NONCE_LENGTH * 256);
let noncesUsed = nonces.length;

/** Random bytes, each used once; drawn for many values at a time, since each draw costs as much as a cipher. */
function nextNonce(): Uint8Array {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces);
    noncesUsed = 0;
  }
  noncesUsed += NONCE_LENGTH;
  return nonces.subarray(noncesUsed - NONCE_LENGTH, noncesUsed);
}
