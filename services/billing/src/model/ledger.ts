import {
  type AccountId,
  type EventId,
  type LedgerEntryId,
  newId,
  type SubmissionId,
} from '@supplier/lib/text/ids';
import type { Month } from './month.ts';

/** What makes a lead billable. The account's setting, copied when the submission was received. */
export type BillingModel = 'accepted_submission' | 'application_created' | 'pre_underwriting_cleared';

export type EntryKind = 'charge' | 'credit';

/** What the ledger has to know of a submission, as the submission service states it. */
export interface BilledState {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly billingModel: BillingModel;
  /** Since when it is billable, or was until its return; null if it never was, or if that isn't stated. */
  readonly billableAt: Date | null;
  /** Null unless it was returned. */
  readonly returnedAt: Date | null;
}

/** A line of the ledger. */
export interface LedgerEntry {
  readonly id: LedgerEntryId;
  readonly kind: EntryKind;
  readonly occurredAt: Date;
  /** The domain event that caused the line; an id of its own for a line that a repair posted. */
  readonly eventId: EventId;
}

/** A line as it stands in the ledger. */
export interface PostedLine extends LedgerEntry {
  /** Null until a price covers its time. */
  readonly pence: number | null;
  readonly statementMonth: Month;
}

/** A line to post. */
export interface NewLine extends LedgerEntry {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly billingModel: BillingModel;
  /** When the lead was charged for, which decides the price; null for a credit whose charge has to be in the ledger. */
  readonly chargedAt: Date | null;
}

/**
 * Returns the lines that the ledger must have after these states, at most one charge and one credit for each
 * submission. A returned lead is charged and credited, so the states of a submission may arrive in any order, and more
 * than once. Implements docs/contract.md, section 6.
 */
export function linesOf(states: readonly StatedByEvent[]): NewLine[] {
  const charges = new Map<SubmissionId, NewLine>();
  const credits = new Map<SubmissionId, NewLine>();
  for (const state of states) {
    const { submissionId, billableAt } = state;
    if (billableAt && !charges.has(submissionId))
      charges.set(submissionId, newLine('charge', state, billableAt, billableAt));
  }
  // After all charges: the charge of a return can come later in the set.
  for (const state of states) {
    const { submissionId, returnedAt } = state;
    const chargedAt = charges.get(submissionId)?.occurredAt ?? null;
    if (returnedAt && !credits.has(submissionId))
      credits.set(submissionId, newLine('credit', state, returnedAt, chargedAt));
  }
  return [...charges.values(), ...credits.values()];
}

type StatedByEvent = BilledState & { readonly eventId: EventId };

function newLine(
  kind: EntryKind,
  { submissionId, accountId, billingModel, eventId }: StatedByEvent,
  occurredAt: Date,
  chargedAt: Date | null,
): NewLine {
  const id = newId<LedgerEntryId>();
  return { id, kind, submissionId, accountId, billingModel, eventId, occurredAt, chargedAt };
}
