import type { ContentType } from './content-types.ts';

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
 * The name that a document is saved under: with an extension of the type that it was scanned as, whatever the supplier
 * called it, since programs are chosen by it. `statement.js`, which is a table, becomes `statement.csv`.
 */
export function downloadName(filename: string, type: ContentType): string {
  const accepted = EXTENSIONS[type];
  const given = EXTENSION.exec(filename)?.[1]?.toLowerCase();
  if (given !== undefined && accepted.includes(given)) return filename;
  const stem = filename.replace(EXTENSION, '');
  return `${stem === '' ? 'document' : stem}.${accepted[0]}`;
}
