import { mediaTypeOf } from '@supplier/lib/text/media-type';
import type { Static } from 'typebox';
import { closed, externalReference, oneOf, text, whole } from '../../validation/field-types.ts';

/** Accepted content types of files. Implements docs/contract.md, section 2. */
export const DOCUMENT_CONTENT_TYPES = [
  'application/pdf',
  'image/jpeg',
  'image/png',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

/** Document categories, in the contract's order. */
export const DOCUMENT_CATEGORIES = ['bank_statements', 'accounts', 'id'] as const;

/** Returns the schema of an upload URL request's body. Implements docs/contract.md, section 2. */
export const createUploadUrlSchema = () =>
  closed({
    external_reference: externalReference(),
    filename: text(1, 255),
    content_type: oneOf(DOCUMENT_CONTENT_TYPES),
    byte_size: whole(1, Number.MAX_SAFE_INTEGER),
    category: oneOf(DOCUMENT_CATEGORIES),
  });

export type CreateUploadUrlBody = Static<ReturnType<typeof createUploadUrlSchema>>;

/** Returns the body with its content type normalised to the schema's spelling. */
export function withListedType(body: unknown): unknown {
  const type = mediaTypeOf(writtenTypeOf(body) ?? '');
  return type === undefined ? body : { ...Object(body), content_type: type };
}

/** Returns the content type of a body as the supplier wrote it; undefined if it is not text. */
export function writtenTypeOf(body: unknown): string | undefined {
  const written: unknown = Object(body).content_type;
  return typeof written === 'string' ? written : undefined;
}
