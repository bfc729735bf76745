import {
  type AccountId,
  type EventId,
  type LedgerEntryId,
  newId,
  type SubmissionId,
} from '@supplier/lib/text/ids';
import type { Month } from './month.ts';

/** Determines what makes a submission billable. Copied from the account's setting when the submission is received. */
export type BillingModel = 'accepted_submission' | 'application_created' | 'pre_underwriting_cleared';

export type EntryKind = 'charge' | 'credit';

/** The billing facts of a submission, as stated by the submission service. */
export interface BilledState {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly billingModel: BillingModel;
  /**
   * When the submission became billable; kept after a return. Null if it never was billable or if the time is not
   * stated.
   */
  readonly billableAt: Date | null;
  /** Null unless returned. */
  readonly returnedAt: Date | null;
}

export interface LedgerEntry {
  readonly id: LedgerEntryId;
  readonly kind: EntryKind;
  readonly occurredAt: Date;
  /** The domain event that caused the line; a new id for a line posted by a repair. */
  readonly eventId: EventId;
}

export interface PostedLine extends Omit<LedgerEntry, 'occurredAt'> {
  /** Null for a time that no line can have. */
  readonly occurredAt: Date | null;
  /** Null until a price covers the line's time. */
  readonly pence: number | null;
  /** Empty for a month that no statement can have. */
  readonly statementMonth: Month | '';
}

export interface NewLine extends LedgerEntry {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly billingModel: BillingModel;
  /** Time of the charge, which decides the price; null for a credit whose charge must already be in the ledger. */
  readonly chargedAt: Date | null;
}

/**
 * Returns the lines that the ledger must have after these states, at most one charge and one credit per submission. A
 * returned submission is charged and credited, so the states of a submission can arrive in any order and more than once.
 * Implements docs/contract.md, section 6.
 */
export function linesOf(states: readonly BilledEvent[]): NewLine[] {
  const charges = new Map<SubmissionId, NewLine>();
  const credits = new Map<SubmissionId, NewLine>();
  for (const state of states) {
    const { submissionId, billableAt } = state;
    if (billableAt && !charges.has(submissionId))
      charges.set(submissionId, newLine('charge', state, billableAt, billableAt));
  }
  // Runs after all charges, because the charge of a return can come later in the set.
  for (const state of states) {
    const { submissionId, returnedAt } = state;
    const chargedAt = charges.get(submissionId)?.occurredAt ?? null;
    if (returnedAt && !credits.has(submissionId))
      credits.set(submissionId, newLine('credit', state, returnedAt, chargedAt));
  }
  return [...charges.values(), ...credits.values()];
}

type BilledEvent = BilledState & { readonly eventId: EventId };

function newLine(
  kind: EntryKind,
  { submissionId, accountId, billingModel, eventId }: BilledEvent,
  occurredAt: Date,
  chargedAt: Date | null,
): NewLine {
  const id = newId<LedgerEntryId>();
  return { id, kind, submissionId, accountId, billingModel, eventId, occurredAt, chargedAt };
}
