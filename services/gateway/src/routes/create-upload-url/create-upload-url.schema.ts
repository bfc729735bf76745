import { mediaTypeOf } from '@supplier/lib/text/media-type';
import type { Static } from 'typebox';
import { closed, externalReference, oneOf, text, whole } from '../../validation/field-types.ts';

/** What a file may be. Implements docs/contract.md, section 2. */
export const DOCUMENT_CONTENT_TYPES = [
  'application/pdf',
  'image/jpeg',
  'image/png',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

/** What a file may be about, in the contract's order. */
export const DOCUMENT_CATEGORIES = ['bank_statements', 'accounts', 'id'] as const;

/** The body of a request for an upload URL, whole. Implements docs/contract.md, section 2. */
export const createUploadUrlSchema = () =>
  closed({
    external_reference: externalReference(),
    filename: text(1, 255),
    content_type: oneOf(DOCUMENT_CONTENT_TYPES),
    byte_size: whole(1, Number.MAX_SAFE_INTEGER),
    category: oneOf(DOCUMENT_CATEGORIES),
  });

export type CreateUploadUrlBody = Static<ReturnType<typeof createUploadUrlSchema>>;

/** The body with its content type as the schema lists it, however the media type is written. */
export function withListedType(body: unknown): unknown {
  const type = mediaTypeOf(writtenTypeOf(body) ?? '');
  return type === undefined ? body : { ...Object(body), content_type: type };
}

/** The content type of a body as the supplier wrote it, where it is text. */
export function writtenTypeOf(body: unknown): string | undefined {
  const written: unknown = Object(body).content_type;
  return typeof written === 'string' ? written : undefined;
}
