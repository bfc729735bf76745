import type { AccountId, EventId, LedgerEntryId, SubmissionId } from '@supplier/lib/ids';
import type { RequestContext } from '@supplier/lib/request-context';
import {
  type BillingModel,
  type BillingState,
  type BillingStatus,
  type EntryKind,
  type Environment,
  type LeadFact,
  openingState,
} from './billing-decision.ts';
import type { Month } from './month.ts';

/** Who and what a lead is; never changes. */
export interface LeadIdentity {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly billingModel: BillingModel;
}

/** A lead as billing knows it. */
export interface Lead extends LeadIdentity, BillingState {
  /** Version of the newest event of the submission that has been applied here. */
  readonly lastSeenVersion: bigint;
  /** Version of the last event that billing has emitted about the lead, 0 before the first. */
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

/** A line as it lies in the ledger. */
export interface EnteredLine extends LedgerEntry {
  /** Null while no price covers its time. */
  readonly pence: number | null;
  readonly statementMonth: Month;
}

/** What one event of the submission service says about a lead. */
export interface LeadEvent {
  readonly id: EventId;
  /** Version of the submission that the event carries. */
  readonly version: bigint;
  readonly lead: LeadIdentity;
  readonly facts: readonly LeadFact[];
  /** The billing status that the submission service shows, where the event restates the lead; null in all others. */
  readonly restatedStatus: BillingStatus | null;
  /** The request that caused it. */
  readonly context: RequestContext;
}

/** The leads that the events are about, each once, as they are before anything has happened to them. */
export function openingLeads(events: readonly LeadEvent[]): Lead[] {
  const leads = new Map<SubmissionId, Lead>();
  for (const { lead, version } of events) {
    const known = leads.get(lead.submissionId);
    if (known && known.lastSeenVersion >= version) continue;
    leads.set(lead.submissionId, {
      ...(known ?? { ...lead, ...openingState(lead.environment), version: 0n }),
      lastSeenVersion: version,
    });
  }
  return [...leads.values()];
}
