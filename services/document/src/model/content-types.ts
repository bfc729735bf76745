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

/** The extensions of each accepted type, the usual one first. */
const EXTENSIONS: Record<ContentType, readonly [string, ...string[]]> = {
  'application/pdf': ['pdf'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'text/csv': ['csv'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
};
const EXTENSION = /\.([a-z0-9]{1,10})$/i;

/**
 * Returns the name for a downloaded document, with an extension of its scanned type regardless of the supplier's
 * filename, since operating systems choose programs by extension. `statement.js`, which is a CSV table, becomes
 * `statement.csv`.
 */
export function downloadName(filename: string, type: ContentType): string {
  const accepted = EXTENSIONS[type];
  const given = EXTENSION.exec(filename)?.[1]?.toLowerCase();
  if (given !== undefined && accepted.includes(given)) return filename;
  const stem = filename.replace(EXTENSION, '');
  return `${stem === '' ? 'document' : stem}.${accepted[0]}`;
}
