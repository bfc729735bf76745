import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PUBLIC_ID_LENGTH = 16;
const RANDOM_LENGTH = 37;
const CHECK_LENGTH = 6;
const FORM = new RegExp(
  `^([a-z0-9]{1,16})_(test|live)_([0-9A-Za-z]{${PUBLIC_ID_LENGTH}})_([0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}})$`,
);

/** `test` credentials work in the sandbox, `live` ones in production. */
export type CredentialKind = 'test' | 'live';

export interface ParsedCredential {
  readonly kind: CredentialKind;
  readonly publicId: string;
  readonly secret: string;
}

/** Generates a credential; show `bearer` once, never store it. Implements docs/contract.md, section 4. */
export function generateCredential(
  prefix: string,
  kind: CredentialKind,
): ParsedCredential & { bearer: string } {
  const publicId = randomBase62(PUBLIC_ID_LENGTH);
  const random = randomBase62(RANDOM_LENGTH);
  const secret = random + checkDigits(prefix, kind, publicId, random);
  return { kind, publicId, secret, bearer: `${prefix}_${kind}_${publicId}_${secret}` };
}

/** Parses a well-formed credential with valid check digits; returns undefined for anything else. */
export function parseCredential(prefix: string, bearer: string): ParsedCredential | undefined {
  const [, givenPrefix, kind, publicId, secret] = FORM.exec(bearer) ?? [];
  if (givenPrefix !== prefix || !publicId || !secret || (kind !== 'test' && kind !== 'live'))
    return undefined;
  const random = secret.slice(0, RANDOM_LENGTH);
  if (checkDigits(prefix, kind, publicId, random) !== secret.slice(RANDOM_LENGTH)) return undefined;
  return { kind, publicId, secret };
}

/** Hashes a secret for storage. A secret has more than 200 random bits, so one plain SHA-256 is enough. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

/** Lets a scanner tell a real credential from a look-alike offline. It proves nothing else. */
function checkDigits(prefix: string, kind: string, publicId: string, random: string): string {
  let rest = crc32(`${prefix}_${kind}_${publicId}_${random}`);
  let digits = '';
  for (let i = 0; i < CHECK_LENGTH; i += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62.charAt(randomInt(62))).join('');
}
