import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../config/index.ts';

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
const ringFile = z
  .strictObject({ primary: keyId, keys: z.record(keyId, key), digestKey: key })
  .refine((ring) => ring.primary in ring.keys);

/**
 * Seals values with AES-256-GCM under the primary key and opens them with whichever key of the ring sealed them.
 * Digests are HMAC-SHA256 under a key of their own, derived per purpose. Implements docs/contract.md, section 10.
 */
export class KeyRing {
  readonly #primaryKey: KeyObject;
  /** What every value sealed from now on begins with: format, length of the key's id, the id. */
  readonly #header: Buffer;
  // Key objects: a key that comes as bytes is imported anew by every operation, which costs more than the operation.
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #digestKey: Buffer;
  readonly #purposeKeys = new Map<string, KeyObject>();

  private constructor(ring: z.infer<typeof ringFile>) {
    this.#keys = new Map(Object.entries(ring.keys).map(([id, bytes]) => [id, createSecretKey(bytes)]));
    this.#primaryKey = this.#keyOf(ring.primary);
    this.#header = Buffer.from([FORMAT, ring.primary.length, ...Buffer.from(ring.primary)]);
    this.#digestKey = ring.digestKey;
  }

  /** Reads `{"primary", "keys": {id: base64}, "digestKey"}`; throws a ConfigError that repeats nothing of the file. */
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
    // Of this mode nothing is left for the end but the tag.
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

  /** 32 bytes that are equal for equal data of one purpose and reveal nothing without the key. */
  digest(purpose: string, data: string | Uint8Array): Uint8Array<ArrayBuffer> {
    let purposeKey = this.#purposeKeys.get(purpose);
    if (!purposeKey) {
      purposeKey = createSecretKey(
        Buffer.from(hkdfSync('sha256', this.#digestKey, '', `digest/${purpose}`, 32)),
      );
      this.#purposeKeys.set(purpose, purposeKey);
    }
    return new Uint8Array(createHmac('sha256', purposeKey).update(data).digest());
  }

  #keyOf(id: string): KeyObject {
    const found = this.#keys.get(id);
    if (!found) throw new Error('the key of a sealed value is not in the ring');
    return found;
  }
}

/** The header is ASCII: its bytes and those of the text are the same. */
function aadBytes(header: Buffer, { table, column, row }: AssociatedData): Buffer {
  return Buffer.from(header.toString('latin1') + JSON.stringify([table, column, row]));
}

const nonces = Buffer.alloc(NONCE_LENGTH * 256);
let noncesUsed = nonces.length;

/** Random bytes that are given out once; drawn for many values at a time, since each draw costs as much as a cipher. */
function nextNonce(): Uint8Array {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces);
    noncesUsed = 0;
  }
  noncesUsed += NONCE_LENGTH;
  return nonces.subarray(noncesUsed - NONCE_LENGTH, noncesUsed);
}
