import type { AccountId, LedgerEntryId, SubmissionId } from '@supplier/lib/text/ids';
import type { BillingModel, EntryKind } from './ledger.ts';
import type { Month } from './month.ts';

/** Line counts, and sums in pence of the priced lines. */
export interface Totals {
  readonly charges: number;
  readonly chargedPence: number;
  readonly credits: number;
  readonly creditedPence: number;
  /** Charges and credits without a price. */
  readonly unpriced: number;
}

/** Totals per billing model; models without lines are omitted. */
export type TotalsByModel = Readonly<Partial<Record<BillingModel, Totals>>>;

export interface Statement {
  readonly accountId: AccountId;
  readonly month: Month;
  /** Null while the month is open. */
  readonly closedAt: Date | null;
  readonly byModel: TotalsByModel;
}

/** A statement line; a credit has the price of the charge that it reverses. */
export interface StatementLine {
  readonly entryId: LedgerEntryId;
  readonly submissionId: SubmissionId;
  readonly kind: EntryKind;
  readonly billingModel: BillingModel;
  /** Null for a time that no line can have. */
  readonly occurredAt: Date | null;
  readonly pence: number | null;
}

const NOTHING: Totals = { charges: 0, chargedPence: 0, credits: 0, creditedPence: 0, unpriced: 0 };

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

/** Returns why a month cannot be closed; undefined when it can. */
export function closingRefusal({
  hasEnded,
  earlierOpen,
  unpriced,
  allowUnpriced,
}: {
  readonly hasEnded: boolean;
  /** The first earlier open month that has lines. */
  readonly earlierOpen: Month | undefined;
  readonly unpriced: number;
  readonly allowUnpriced: boolean;
}): string | undefined {
  if (!hasEnded) return 'The month has not ended. Close it after it has.';
  if (earlierOpen) return `An earlier month with lines is open. Close ${earlierOpen} first.`;
  if (unpriced > 0 && !allowUnpriced)
    return `${unpriced} lines of the month have no price. Set a price that applies to them, or close the month with allow_unpriced.`;
  return undefined;
}
