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
