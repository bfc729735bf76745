import type { AccountId, LedgerEntryId, SubmissionId } from '@supplier/lib/text/ids';
import type { BillingModel, EntryKind } from './ledger.ts';
import type { Month } from './month.ts';

/** Numbers of lines, and sums in pence of those that have a price. */
export interface Totals {
  readonly charges: number;
  readonly chargedPence: number;
  readonly credits: number;
  readonly creditedPence: number;
  /** Lines of both kinds without a price. */
  readonly unpriced: number;
}

/** The totals of the lines under each billing model that has any. */
export type TotalsByModel = Readonly<Partial<Record<BillingModel, Totals>>>;

/** A month of an account. */
export interface Statement {
  readonly accountId: AccountId;
  readonly month: Month;
  /** Null while it is open. */
  readonly closedAt: Date | null;
  readonly byModel: TotalsByModel;
}

/** A line of a statement; a credit has the price of the charge that it takes back. */
export interface StatementLine {
  readonly entryId: LedgerEntryId;
  readonly submissionId: SubmissionId;
  readonly kind: EntryKind;
  readonly billingModel: BillingModel;
  readonly occurredAt: Date;
  readonly pence: number | null;
}

const NOTHING: Totals = { charges: 0, chargedPence: 0, credits: 0, creditedPence: 0, unpriced: 0 };

/** Adds up the totals of all billing models. */
export function sumOf(byModel: TotalsByModel): Totals {
  return Object.values(byModel).reduce(
    (sum, one) => ({
      charges: sum.charges + one.charges,
      chargedPence: sum.chargedPence + one.chargedPence,
      credits: sum.credits + one.credits,
      creditedPence: sum.creditedPence + one.creditedPence,
      unpriced: sum.unpriced + one.unpriced,
    }),
    NOTHING,
  );
}

/** Tells why a month cannot be closed; undefined when it can. */
export function closingRefusal({
  hasEnded,
  earlierOpen,
  unpriced,
  allowUnpriced,
}: {
  readonly hasEnded: boolean;
  /** The first earlier month that is open and has lines. */
  readonly earlierOpen: Month | undefined;
  readonly unpriced: number;
  readonly allowUnpriced: boolean;
}): string | undefined {
  if (!hasEnded) return 'The month has not ended: it can be closed from the first moment of the next one.';
  if (earlierOpen) return `An earlier month with lines is open: close ${earlierOpen} first.`;
  if (unpriced > 0 && !allowUnpriced)
    return `${unpriced} lines of the month have no price: set a price from before them, or close it with allow_unpriced.`;
  return undefined;
}
