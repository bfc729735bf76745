import { NOTHING } from './spell-value.ts';

/** What a spreadsheet takes for the start of a formula, blanks before it included. */
const FORMULA = /^[\s\u00a0]*[=+\-@]|^[\t\r\n]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const QUOTED = /[",\r\n]/;
/** Pence are shown with two decimals, whole pounds without. */
const MONEY = /^-?£[\d,]+(?:\.\d\d)?$/;

/**
 * One record, from what a table shows: money as a number of what its column is named for, pence or pounds; nothing as
 * nothing. Written as RFC 4180 has it, with its line end. What a spreadsheet would run as a formula begins with an
 * apostrophe.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(shown: string): string {
  const cell = shown === NOTHING ? '' : MONEY.test(shown) ? amountOf(shown) : shown;
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const amountOf = (shown: string): string => `${BigInt(shown.replace(/[£,.]/g, ''))}`;
