import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret: the prefix and 32 random bytes in base64url. Its whole text is the key of the signature. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

/** First eight hex digits of the SHA-256 of the secret: tells staff which secret was used, and nothing about it. */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}
