import { NOTHING } from './spell-value.ts';
import { visible } from './visible.ts';

/**
 * Where a spreadsheet begins a formula: at the start of a cell, blanks before it included, and behind what it may take for
 * the end of a cell or for a quote, as semicolons are in half of Europe. Full-width signs count as the plain ones there.
 */
const FORMULA = /(^|[;|\t\r\n"])(?=[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b])/g;
const BREAKS = /^[\t\r\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const QUOTED = /[",;]/;
/** Pence are shown with two decimals, whole pounds without. */
const MONEY = /^-?£[\d,]+(?:\.\d\d)?$/;

/**
 * One record, from what a table shows: money as a number of what its column is named for, pence or pounds; nothing as
 * nothing. Written as RFC 4180 has it, with its line end. What a spreadsheet would run as a formula has an apostrophe
 * before it; numbers below zero stay numbers.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(shown: string): string {
  const cell = shown === NOTHING ? '' : MONEY.test(shown) ? amountOf(shown) : shown;
  const tamed = NUMBER.test(cell) ? cell : cell.replace(FORMULA, "$1'");
  const text = visible(BREAKS.test(tamed) ? `'${tamed}` : tamed);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const amountOf = (shown: string): string => `${BigInt(shown.replace(/[£,.]/g, ''))}`;
