import type { AccountId, EventId, LedgerEntryId, SubmissionId } from '@supplier/lib/ids';
import type { BillingModel, BillingState, EntryKind, Environment, LeadFact } from './billing-decision.ts';

/** Who and what a lead is; never changes. */
export interface LeadIdentity {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly billingModel: BillingModel;
}

/** A lead as billing knows it. `version` is that of the last event billing told of it, 0 before the first. */
export interface Lead extends LeadIdentity, BillingState {
  readonly version: bigint;
}

/** One line of the ledger. */
export interface LedgerEntry {
  readonly id: LedgerEntryId;
  readonly kind: EntryKind;
  readonly occurredAt: Date;
  /** The domain event that caused the line. */
  readonly eventId: EventId;
}

/** What one event of the submission service says about a lead. */
export interface LeadNews {
  readonly eventId: EventId;
  /** Version of the submission that the event carries. */
  readonly version: bigint;
  readonly lead: LeadIdentity;
  readonly facts: readonly LeadFact[];
}
