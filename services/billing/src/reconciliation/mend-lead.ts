import { type EventId, type LedgerEntryId, newId } from '@supplier/lib/ids';
import { inTransaction } from '@supplier/lib/postgres';
import { currentContext } from '@supplier/lib/request-context';
import type { Context } from '../context.ts';
import { lockLead } from '../db/pending-leads.ts';
import { findOnLedger } from '../db/reconciliation.ts';
import { saveLeadChanges } from '../db/save-lead-changes.ts';
import { applyLeadEvents, type LeadChanges } from '../domain/apply-lead-events.ts';
import type { Lead } from '../domain/lead.ts';
import type { Fault, OnLedger, ShownSubmission } from '../domain/reconciliation.ts';
import { billingChanged } from '../messages/billing-message.ts';

/**
 * Puts right what can be put right of a lead: the lead says what its lines should be, and billing decides, so that the
 * missing line is entered, or the decision told again. Everything is looked at anew under the lead's lock: what somebody
 * else has mended is left alone. Resolves to whether anything was done.
 */
export async function mendLead(
  { pool, clock, wakeRelay }: Context,
  fault: Fault,
  { submissionId, billingStatus }: ShownSubmission,
): Promise<boolean> {
  const now = clock.now();
  const mended = await inTransaction(pool, async (tx) => {
    const lead = await lockLead(tx, submissionId);
    const found = (await findOnLedger(tx, [submissionId])).get(submissionId);
    if (!lead || !found) return false;
    const changes = changesFor(fault, lead, found, billingStatus, now);
    if (!changes) return false;
    const events = changes.emissions.map((emission) => billingChanged(emission, now));
    saveLeadChanges(tx, changes, events);
    return true;
  });
  if (mended) wakeRelay();
  return mended;
}

function changesFor(
  fault: Fault,
  lead: Lead,
  { charges, credits, chargedAt }: OnLedger,
  restatedStatus: ShownSubmission['billingStatus'],
  now: Date,
): LeadChanges | undefined {
  switch (fault) {
    case 'not_charged':
      if (lead.billingStatus !== 'billable' || lead.billableAt === null || charges > 0) return undefined;
      return lineOf(lead, 'charge', lead.billableAt, lead.billableAt);
    case 'not_credited':
      if (restatedStatus === 'pending') return toldAgain(lead, restatedStatus);
      if (lead.billingStatus !== 'not_billable' || charges !== credits + 1 || chargedAt === null)
        return undefined;
      // A credit has the price of its charge.
      return lineOf(lead, 'credit', now, chargedAt);
    case 'other_status':
      return toldAgain(lead, restatedStatus);
    case 'unknown_lead':
    case 'other_account':
    case 'charged_twice':
    case 'credited':
    case 'credit_alone':
    case 'other_time':
      return undefined;
  }
}

const lineOf = (lead: Lead, kind: 'charge' | 'credit', occurredAt: Date, pricedAt: Date): LeadChanges => ({
  leads: [lead],
  entries: [{ id: newId<LedgerEntryId>(), kind, occurredAt, pricedAt, eventId: newId<EventId>(), lead }],
  emissions: [],
});

/** The decision about a lead that the submission service shows as pending, emitted anew. */
function toldAgain(lead: Lead, restatedStatus: ShownSubmission['billingStatus']): LeadChanges | undefined {
  const changes = applyLeadEvents(
    [lead],
    [
      {
        id: newId<EventId>(),
        version: lead.lastSeenVersion,
        lead,
        facts: [],
        restatedStatus,
        context: currentContext() ?? { requestId: '', traceParent: '' },
      },
    ],
  );
  return changes.emissions.length > 0 ? changes : undefined;
}
