import { randomBytes } from 'node:crypto';

/** A key under which an object is stored: random, so that it tells nothing of the document and cannot be guessed. */
export function newObjectKey(): string {
  return randomBytes(32).toString('hex');
}
