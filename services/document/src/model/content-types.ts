import { mediaTypeOf } from '@supplier/lib/text/media-type';

/** The accepted content types. A setting may allow fewer. Implements docs/contract.md, section 2. */
export const CONTENT_TYPES = [
  'application/pdf',
  'image/jpeg',
  'image/png',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

export type ContentType = (typeof CONTENT_TYPES)[number];

/** The accepted content type that a media type names; undefined when there is none. */
export function contentTypeOf(text: string): ContentType | undefined {
  const named = mediaTypeOf(text);
  return CONTENT_TYPES.find((type) => type === named);
}
