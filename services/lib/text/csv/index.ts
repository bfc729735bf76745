import { visible } from '../visible/index.ts';

/**
 * Matches where a spreadsheet starts a formula: in a cell after blanks, and after what may end a cell or a quote, such
 * as the semicolon in half of Europe. Full-width signs count too.
 */
const FORMULA = /(^|[;|\t\r\n"])(?=[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])/g;
const BREAKS = /^[\t\r\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const QUOTED = /[",;]/;
/** A backslash that would look like the start of an escape. */
const ESCAPING = /\\(?=[\\nrtu])/g;

/** Byte order mark: with it, spreadsheets read a file as UTF-8. */
export const BOM = '\ufeff';

/**
 * Returns an RFC 4180 record with its line end. Formulas get an apostrophe; numbers stay. Line breaks become `\n`, and
 * that text becomes `\\n`.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string): string {
  const tamed = NUMBER.test(cell) ? cell : cell.replace(FORMULA, "$1'");
  const text = visible((BREAKS.test(tamed) ? `'${tamed}` : tamed).replace(ESCAPING, '\\\\'));
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
