import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;
const MAX_ENTRIES = 16;

export interface SignedRequest {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly rawBody: Uint8Array;
}

/** Checks a webhook as a supplier does (docs/contract.md, section 7). `now` is Unix time in seconds. Compares in constant time. */
export function verifySignature(request: SignedRequest, secrets: readonly string[], now: number): boolean {
  const { timestamp, signature, rawBody } = request;
  if (!timestamp || !/^\d{1,12}$/.test(timestamp) || !signature) return false;
  if (Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const given = signature
    .split(',', MAX_ENTRIES)
    .map((entry) => entry.trim())
    .filter((entry) => entry.startsWith('v1='))
    .map((entry) => Buffer.from(entry.slice(3), 'utf8'));
  const expected = secrets.map((secret) => Buffer.from(sign(secret, timestamp, rawBody), 'utf8'));
  return expected.some((wanted) => given.some((entry) => equal(entry, wanted)));
}

function sign(secret: string, timestamp: string, rawBody: Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex');
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
