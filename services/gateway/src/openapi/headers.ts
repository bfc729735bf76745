import type { PublicCode } from '../errors/error-table.ts';
import type { Header, Reference } from './document-types.ts';

const whole = (minimum: number) => ({ type: 'integer', minimum });

/** Schema of a request id: visible ASCII. */
export const REQUEST_ID_TEXT = { type: 'string', minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7E]+$' };

/** Every header defined by the contract, by name. Implements docs/contract.md, sections 1, 8 and 9. */
export const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'The id you sent, or a new UUID. Quote it when you ask about a request.',
    required: true,
    schema: REQUEST_ID_TEXT,
    example: '5f0b9d64-4a41-4b8e-8d3f-6c1f3f0e2a77',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'Whole seconds to wait before the next request.',
    required: true,
    schema: whole(1),
    example: 2,
  },
  'RateLimit-Limit': {
    description: 'How many requests the limit allows in a window.',
    required: true,
    schema: whole(0),
    example: 120,
  },
  'RateLimit-Remaining': {
    description: 'How many requests are left in the window.',
    required: true,
    schema: whole(0),
    example: 0,
  },
  'RateLimit-Reset': {
    description: 'When the window ends, as a Unix time in seconds.',
    required: true,
    schema: whole(0),
    example: 1795167062,
  },
};

const OF_CODE: Partial<Readonly<Record<PublicCode, readonly string[]>>> = {
  unauthorized: ['WWW-Authenticate'],
  rate_limited: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  service_unavailable: ['Retry-After'],
};

/** Returns the headers of a response with any of these codes; without codes, those for a success. */
export function headersOf(codes: readonly PublicCode[] = []): Record<string, Reference> {
  const names = ['X-Request-Id', ...codes.flatMap((code) => OF_CODE[code] ?? [])];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
