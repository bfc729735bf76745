import { type EventId, type LedgerEntryId, newId, type SubmissionId } from '@supplier/lib/ids';
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
import type { Difference } from './find-differences.ts';

/** How many leads are restated at once: a page of changes has some hundreds. */
const MAX_RESTATED = 100;

/**
 * Has those leads restated by the submission service that billing has lost, or knows less of than it once decided; its
 * consumer opens them, decides as their suppliers are shown, and charges once, however often that is asked for. Resolves to
 * those that are on their way. Throws UNAVAILABLE when one set of them could not be restated: those before it are.
 */
export async function restateLost(
  { restateLeads }: Pick<Context, 'restateLeads'>,
  differences: readonly Difference[],
): Promise<SubmissionId[]> {
  const lost = differences.filter(isLost).map(({ shown }) => shown.submissionId);
  const restated: SubmissionId[] = [];
  for (let from = 0; from < lost.length; from += MAX_RESTATED)
    restated.push(...(await restateLeads(lost.slice(from, from + MAX_RESTATED))));
  return restated;
}

function isLost({ fault, found }: Difference): boolean {
  if (fault === 'unknown_lead') return true;
  return found?.billingStatus === 'pending' && (fault === 'not_charged' || fault === 'other_status');
}

/**
 * Puts right what can be put right of a lead: the lead says what its lines should be, and billing decides, so that the
 * missing line is entered, or the decision told again. Everything is looked at again under the lead's lock: what somebody
 * else has mended is left alone. Resolves to whether anything was done.
 */
export async function mendLead(
  { pool, clock, wakes }: Context,
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
  if (mended) wakes.relay();
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

/** The decision about a lead that the submission service shows as pending, emitted again. */
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
