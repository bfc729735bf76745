import { csvRecord } from '@supplier/lib/text/csv';
import { NOTHING } from './spell-value.ts';

/** Pence are shown with two decimals, whole pounds without. */
const MONEY = /^-?£[\d,]+(?:\.\d\d)?$/;

/**
 * One record, from what a table shows: money as a number of what its column is named for, pence or pounds; nothing as
 * nothing.
 */
export const csvLine = (cells: readonly string[]): string => csvRecord(cells.map(cellOf));

function cellOf(shown: string): string {
  if (shown === NOTHING) return '';
  return MONEY.test(shown) ? amountOf(shown) : shown;
}

const amountOf = (shown: string): string => `${BigInt(shown.replace(/[£,.]/g, ''))}`;
