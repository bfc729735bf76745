import type { IncomingMessage } from 'node:http';
import { headerValues } from '../plugins/header-values.ts';

const BEARER = /^bearer +([\x21-\x7e]+)$/i;
/** Longer than any credential; what is longer is not even looked at. */
const MAX_HEADER = 256;

/**
 * The bearer credential of a request that carries exactly one Authorization header; undefined for every other request.
 * The scheme's name may be written in any case. Implements docs/contract.md, section 4.
 */
export function bearerOf(request: IncomingMessage): string | undefined {
  const [header, second] = headerValues(request, 'authorization');
  if (header === undefined || second !== undefined || header.length > MAX_HEADER) return undefined;
  return BEARER.exec(header)?.[1];
}
