import { createHash } from 'node:crypto';
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { invalid } from '../refusal/index.ts';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;
/** No token that we issue is longer than this. */
const MAX_TOKEN_LENGTH = 200;
const MAX_POSITION_BYTES = 120;
const DIGEST_BYTES = 16;

type Paged = { readonly pageSize: number; readonly pageToken: string };

/**
 * Reads a request's `page_size` (50 when 0, at most 200, unless `sizes` differ) and `page_token`. A token is valid only
 * for the query that it came from: the same request except for these two fields. Throws VALIDATION_ERROR naming the
 * field for a size out of bounds, and for a token that is garbled, belongs to another query, or has a position that
 * `parse` rejects.
 */
export function requestedPage<Desc extends DescMessage, Position>(
  schema: Desc,
  request: MessageShape<Desc> & Paged,
  parse: (position: string) => Position | undefined,
  { usual, max } = { usual: DEFAULT_PAGE_SIZE, max: MAX_PAGE_SIZE },
) {
  const { pageSize, pageToken } = request;
  if (!Number.isInteger(pageSize) || pageSize < 0 || pageSize > max)
    throw invalid('page_size', `must be from 0 to ${max}`);
  const query = queryOf(schema, request);
  return {
    size: pageSize === 0 ? usual : pageSize,
    /** The position that the page starts after; undefined for the first page. */
    after: pageToken === '' ? undefined : readToken(query, pageToken, parse),
    /** Returns the token of the page after `position` (at most 120 bytes), empty if there is none. */
    tokenAfter: (position: string | undefined) => (position === undefined ? '' : writeToken(query, position)),
  };
}

/** Encodes the query that a token is bound to: the request type and all fields except the paging ones. */
function queryOf<Desc extends DescMessage>(schema: Desc, request: MessageShape<Desc> & Paged): Buffer {
  const filters = toBinary(
    schema,
    { ...request, pageSize: 0, pageToken: '' },
    // Ignore fields that only a later version knows.
    { writeUnknownFields: false },
  );
  return Buffer.concat([Buffer.from(`${schema.typeName}\0`), filters]);
}

function writeToken(query: Buffer, position: string): string {
  const bytes = Buffer.from(position);
  if (bytes.length > MAX_POSITION_BYTES)
    throw new Error('invariant violated: a position is longer than a page token may be');
  return Buffer.concat([digestOf(query, bytes), bytes]).toString('base64url');
}

function readToken<Position>(
  query: Buffer,
  token: string,
  parse: (position: string) => Position | undefined,
): Position {
  const bytes = token.length <= MAX_TOKEN_LENGTH ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
  const position = bytes.subarray(DIGEST_BYTES);
  // Decoding skips characters that are not base64url, so require the exact spelling that was issued.
  const isOurs =
    bytes.toString('base64url') === token &&
    bytes.subarray(0, DIGEST_BYTES).equals(digestOf(query, position));
  const read = isOurs ? parse(position.toString()) : undefined;
  if (read === undefined)
    throw invalid('page_token', 'must be the next_page_token of a previous page of this query');
  return read;
}

/** Detects mistakes, not forgery: a token reveals nothing that its caller could not request. */
function digestOf(query: Buffer, position: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(query.length);
  return createHash('sha256')
    .update(length)
    .update(query)
    .update(position)
    .digest()
    .subarray(0, DIGEST_BYTES);
}

/** A row of a list that reads a bounded number of rows, in order, for one page. */
export interface Examined {
  readonly matches: boolean;
  /** The last row within the bound: it is returned whether it matches or not. */
  readonly is_last: boolean;
}

/** Returns the page, and the row that the next page starts after, from ordered, bounded `rows`. */
export function boundedPage<Row extends Examined>(
  rows: readonly Row[],
  size: number,
): { page: Row[]; next: Row | undefined } {
  const found = rows.filter((row) => row.matches);
  const page = found.slice(0, size);
  return { page, next: found.length > size ? page.at(-1) : rows.find((row) => row.is_last) };
}
