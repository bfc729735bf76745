import { type Decryption, decryptionOf, type Encryption, type Method } from './pdf-decryption.ts';
import {
  bytesOf,
  isArray,
  isDictionary,
  isName,
  isText,
  type PdfDictionary,
  type PdfValue,
  Unreadable,
} from './pdf-syntax.ts';

export interface Resolver {
  /** Returns what a value may stand for: itself or, for a reference, every object with its number. */
  resolve(value: PdfValue): PdfValue[];
  /** Returns what the values of a key may stand for. */
  valuesOf(dictionary: PdfDictionary, key: string): PdfValue[];
}

/**
 * Returns how to decrypt a document; undefined if it isn't encrypted. Throws Unreadable if it needs a password, or if
 * its trailers differ.
 */
export function decryptionFor(
  trailers: readonly PdfDictionary[],
  resolver: Resolver,
): Decryption | undefined {
  const unreadable = (message: string) => new Unreadable(message, { rule: 'pdf-encrypted' });
  const encryptions = trailers.map((trailer) => resolver.valuesOf(trailer, 'Encrypt').filter(isDictionary));
  if (encryptions.every((found) => found.length === 0)) return undefined;
  if (encryptions.some((found) => found.length !== 1)) throw unreadable('encryption');
  const found = encryptions.map(([dictionary]) => encryptionOf(dictionary as PdfDictionary, resolver));
  const [encryption, ...others] = found;
  if (!encryption || others.some((other) => JSON.stringify(other) !== JSON.stringify(encryption)))
    throw unreadable('encryption');
  const identifiers = trailers.flatMap((trailer) =>
    resolver.valuesOf(trailer, 'ID').flatMap((list) => {
      const first = isArray(list) ? list.items[0] : undefined;
      return first === undefined ? [] : resolver.resolve(first).flatMap(textBytes);
    }),
  );
  const decryption = decryptionOf(encryption, [...identifiers, Buffer.alloc(0)].slice(0, MAX_IDENTIFIERS));
  if (!decryption) throw unreadable('password');
  return decryption;
}

const MAX_IDENTIFIERS = 16;

function encryptionOf(dictionary: PdfDictionary, { valuesOf }: Resolver): Encryption {
  const only = (from: PdfDictionary, key: string): PdfValue | undefined => {
    const [value, ...others] = valuesOf(from, key);
    if (others.length > 0) throw new Unreadable('encryption', { rule: 'pdf-encrypted' });
    return value;
  };
  const number = (key: string, otherwise: number) => {
    const value = only(dictionary, key);
    return typeof value === 'number' ? value : otherwise;
  };
  const bytes = (key: string) => textBytes(only(dictionary, key) ?? null)[0] ?? Buffer.alloc(0);
  const version = number('V', 0);
  const crypt = (key: string): Method => {
    if (version < 4) return 'V2';
    const name = only(dictionary, key);
    if (name === undefined || isName(name, 'Identity')) return 'None';
    const filters = only(dictionary, 'CF');
    const filter = isDictionary(filters) && isName(name) ? only(filters, name.name) : undefined;
    const method = isDictionary(filter) ? only(filter, 'CFM') : undefined;
    const known = METHODS.find((one) => isName(method, one));
    if (!known) throw new Unreadable('crypt filter', { rule: 'pdf-encrypted' });
    return known;
  };
  const revision = number('R', 0);
  if (!isName(only(dictionary, 'Filter'), 'Standard') || !REVISIONS.includes(revision))
    throw new Unreadable('security handler', { rule: 'pdf-encrypted' });
  return {
    version,
    revision,
    keyBytes: version === 1 ? 5 : version === 4 ? 16 : Math.min(16, Math.max(5, number('Length', 40) >> 3)),
    permissions: number('P', 0),
    // Some writers omit zeros at its end.
    owner: Buffer.concat([bytes('O'), Buffer.alloc(32)]).subarray(0, 32),
    user: bytes('U'),
    userKey: bytes('UE'),
    encryptsMetadata: only(dictionary, 'EncryptMetadata') !== false,
    streams: crypt('StmF'),
    strings: crypt('StrF'),
  };
}

const METHODS: readonly Method[] = ['None', 'V2', 'AESV2', 'AESV3'];
const REVISIONS = [2, 3, 4, 5, 6];

const textBytes = (value: PdfValue): Buffer[] => (isText(value) ? [bytesOf(value)] : []);
