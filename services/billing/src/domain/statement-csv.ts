import { formatTimestamp } from '@supplier/lib/time';
import type { StatementLine } from './statement.ts';

const COLUMNS = [
  'entry_id',
  'submission_id',
  'kind',
  'billing_model',
  'occurred_at',
  'amount_pence',
  'currency',
] as const;

/** What a spreadsheet would take for the start of a formula, blanks before it included. */
const FORMULA = /^[\s\u00a0]*[=+\-@]|^[\t\r\n]/;

/** The first record of a statement: the names of its columns. */
export const statementCsvHeader: string = csvRecord(COLUMNS);

/**
 * A line of a statement as a record of RFC 4180. `amount_pence` is below zero for a credit, and empty where the line has
 * no price.
 */
export function statementCsvRecord(line: StatementLine): string {
  const { entryId, submissionId, kind, billingModel, occurredAt, pence } = line;
  const amount = pence === null ? '' : kind === 'credit' ? -pence : pence;
  return csvRecord([entryId, submissionId, kind, billingModel, formatTimestamp(occurredAt), amount, 'GBP']);
}

/** One record of RFC 4180, with its line end. */
export function csvRecord(fields: readonly (string | number)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/** Numbers are written as they are; a text that a spreadsheet would run as a formula gets an apostrophe before it. */
function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
