import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * SHA-256 of a body's canonical JSON (RFC 8785): equal for bodies that differ only in key order, white space or the
 * spelling of numbers. 32 bytes. Implements docs/contract.md, section 2.
 */
export function bodyFingerprint(body: object): Uint8Array {
  const canonical = canonicalize(body);
  if (canonical === undefined) throw new Error('invariant violated: no canonical form for a JSON object');
  return hash('sha256', canonical, 'buffer');
}
