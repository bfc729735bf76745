import { visible } from '../visible/index.ts';

/**
 * Where a spreadsheet begins a formula: at the start of a cell, blanks before it included, and behind what it may take for
 * the end of a cell or for a quote, as semicolons are in half of Europe. Full-width signs count as the plain ones there.
 */
const FORMULA = /(^|[;|\t\r\n"])(?=[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])/g;
const BREAKS = /^[\t\r\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const QUOTED = /[",;]/;

/**
 * One record as RFC 4180 has it, with its line end. What a spreadsheet would run as a formula has an apostrophe before it;
 * numbers below zero stay numbers.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string): string {
  const tamed = NUMBER.test(cell) ? cell : cell.replace(FORMULA, "$1'");
  const text = visible(BREAKS.test(tamed) ? `'${tamed}` : tamed);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
