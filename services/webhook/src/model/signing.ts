import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/**
 * Returns a new signing secret: the prefix and 32 random bytes in base64url. Its whole text is the key of the
 * signature.
 */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Returns the first eight hex digits of the SHA-256 of the secret, which shows staff which secret was used without
 * revealing it.
 */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}

/**
 * Returns the value of the signature header for one attempt: HMAC-SHA256 in hex over the timestamp, a full stop and the
 * raw body, keyed with the whole secret including its prefix. Implements docs/contract.md, section 7.
 */
export function signatureOf(
  secret: string | KeyObject,
  timestampSeconds: number,
  rawBody: Uint8Array,
): string {
  const mac = createHmac('sha256', secret).update(`${timestampSeconds}.`).update(rawBody).digest('hex');
  return `v1=${mac}`;
}

/**
 * Returns all headers of one attempt at `now`; each attempt has a new timestamp, while the event's id and body never
 * change.
 */
export function signedHeaders(
  eventId: string,
  rawBody: Uint8Array,
  secret: string | KeyObject,
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000);
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Svc-Webhooks/1',
    'Svc-Webhook-Id': eventId,
    'Svc-Webhook-Timestamp': String(timestamp),
    'Svc-Webhook-Signature': signatureOf(secret, timestamp, rawBody),
  };
}
