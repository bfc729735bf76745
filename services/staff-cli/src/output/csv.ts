import { NOTHING } from './spell-value.ts';

/** What a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const QUOTED = /[",\r\n]/;
const POUNDS = /^-?£[\d,]+(?:\.\d\d)?$/;

/** One record, from what a table shows: money as plain pounds, nothing as nothing. Written as RFC 4180 has it, with its line end. What a spreadsheet would run as a formula begins with an apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(shown: string): string {
  const cell = shown === NOTHING ? '' : POUNDS.test(shown) ? shown.replace(/[£,]/g, '') : shown;
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
