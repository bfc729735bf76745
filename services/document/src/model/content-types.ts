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

/** Returns the accepted content type that matches a media type; undefined when there is none. */
export function contentTypeOf(text: string): ContentType | undefined {
  const named = mediaTypeOf(text);
  return CONTENT_TYPES.find((type) => type === named);
}

const EXTENSIONS: Readonly<Record<ContentType, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'text/csv': 'csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/**
 * Returns the file name for a downloaded document. It has the extension of the scanned type, since operating systems
 * choose programs by extension, and nothing of the supplier's filename, since the URL reveals it.
 */
export function downloadName(documentId: string, type: ContentType): string {
  return `${documentId}.${EXTENSIONS[type]}`;
}
