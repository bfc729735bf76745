import { type EventId, type LedgerEntryId, newId, type SubmissionId } from '@supplier/lib/ids';
import type { RequestContext } from '@supplier/lib/request-context';
import { type BillingMove, decideBilling, isEmitted, type LineOfMove } from './billing-decision.ts';
import type { Lead, LeadEvent, LeadIdentity, LedgerEntry } from './lead.ts';

/** What a set of events does to the leads that it is about. */
export interface LeadChanges {
  /** The leads that are to be saved, as they are after the last event. */
  readonly leads: readonly Lead[];
  readonly entries: readonly NewLedgerEntry[];
  /** The billing states that others are to learn, in order; one lead may be among them more than once. */
  readonly emissions: readonly BillingEmission[];
}

export interface NewLedgerEntry extends LedgerEntry, LineOfMove {
  readonly lead: LeadIdentity;
}

/** The state of a lead at the moment of its decision, and the request that caused it. */
export interface BillingEmission {
  readonly lead: Lead;
  readonly context: RequestContext;
}

/**
 * Applies events to leads, in order: each sees the leads as those before it have left them, so that a set ends as its
 * events would have ended one by one. `stored` holds each lead of the set once. Throws when an event contradicts the
 * account, environment or billing model of its lead, which never change. Implements docs/contract.md, section 6.
 */
export function applyLeadEvents(stored: readonly Lead[], events: readonly LeadEvent[]): LeadChanges {
  const current = new Map(stored.map((lead) => [lead.submissionId, lead]));
  const changed = new Map<SubmissionId, Lead>();
  const entries: NewLedgerEntry[] = [];
  const emissions: BillingEmission[] = [];

  for (const event of events) {
    const before = current.get(event.lead.submissionId);
    if (!before) throw new Error('invariant violated: no lead was opened or found for an event');
    refuseContradiction(before, event.lead);
    let lead = before;
    for (const fact of event.facts) {
      const move = decideBilling(lead.billingModel, lead, fact);
      if (!move) continue;
      lead = moved(lead, move);
      if (move.entry) entries.push({ ...newEntry(move.entry, event.id), lead });
      if (move.emit) emissions.push({ lead, context: event.context });
    }
    if (lead === before && isMissed(lead, event)) {
      lead = { ...lead, version: lead.version + 1n };
      emissions.push({ lead, context: event.context });
    }
    if (lead === before) continue;
    current.set(lead.submissionId, lead);
    changed.set(lead.submissionId, lead);
  }
  return { leads: [...changed.values()], entries, emissions };
}

/** Whether a restated lead shows that the decision about it, emitted long ago, has not arrived: it is emitted again. */
function isMissed(lead: Lead, { restatedStatus }: LeadEvent): boolean {
  return restatedStatus === 'pending' && isEmitted(lead);
}

function moved(lead: Lead, { state, emit }: BillingMove): Lead {
  return { ...lead, ...state, version: emit ? lead.version + 1n : lead.version };
}

function newEntry(entry: LineOfMove, eventId: EventId): LedgerEntry & LineOfMove {
  return { id: newId<LedgerEntryId>(), ...entry, eventId };
}

function refuseContradiction(lead: LeadIdentity, stated: LeadIdentity): void {
  const same =
    lead.accountId === stated.accountId &&
    lead.environment === stated.environment &&
    lead.billingModel === stated.billingModel;
  if (!same) throw new Error('invalid event: account, environment or billing model differs from its lead');
}
