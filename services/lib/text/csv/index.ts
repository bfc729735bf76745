import { visible } from '../visible/index.ts';

/**
 * Matches the places where a spreadsheet starts a formula: at the start of a cell, including leading blanks, and after
 * anything that it may take for the end of a cell or a quote, such as the semicolon in half of Europe. Spreadsheets
 * treat full-width signs like the plain ones.
 */
const FORMULA = /(^|[;|\t\r\n"])(?=[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])/g;
const BREAKS = /^[\t\r\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const QUOTED = /[",;]/;

/**
 * Returns one record in the format of RFC 4180, including the line end. Text that a spreadsheet would run as a formula
 * gets a leading apostrophe; negative numbers stay numbers.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string): string {
  const tamed = NUMBER.test(cell) ? cell : cell.replace(FORMULA, "$1'");
  const text = visible(BREAKS.test(tamed) ? `'${tamed}` : tamed);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
