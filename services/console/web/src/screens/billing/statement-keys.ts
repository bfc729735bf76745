import type { Statement } from '@supplier/proto/billing/v1/billing';
import { latestMonths, monthsBefore, thisMonth } from '../../dates.ts';
import type { StatementKey } from '../statement/statement-queries.ts';

const MONTHS = 12;

/** The filters of the screen. */
export interface Selected {
  readonly month: string | undefined;
  readonly account: string | undefined;
}

/** Returns the statements to load: of a month for the suppliers with lines in it, or the latest ones of one supplier. */
export const statementKeys = (
  { month, account }: Selected,
  withLines: readonly { readonly accountId: string }[],
): readonly StatementKey[] =>
  account
    ? (month ? [month] : latestMonths(MONTHS)).map((one) => ({ accountId: account, month: one }))
    : withLines.map(({ accountId }) => ({ accountId, month: month ?? thisMonth() }));

/** Old months without lines are left out. */
export const isUsed = ({ month, closedAt, totals }: Statement): boolean =>
  closedAt !== undefined ||
  month >= monthsBefore(thisMonth(), 1) ||
  (totals !== undefined && (totals.charges > 0n || totals.credits > 0n));
