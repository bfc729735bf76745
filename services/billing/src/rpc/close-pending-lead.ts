import { appendAudit, auditEntry } from '@supplier/lib/audit';
import { type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import { inTransaction } from '@supplier/lib/postgres';
import { requestedId } from '@supplier/lib/refusal';
import { currentContext } from '@supplier/lib/request-context';
import { CloseReason } from '@supplier/proto/billing/v1/pending_leads';
import type { Context, Rpcs } from '../context.ts';
import { findLeads } from '../db/find-lead.ts';
import { lockLead } from '../db/pending-leads.ts';
import { saveLeadChanges } from '../db/save-lead-changes.ts';
import { applyLeadEvents } from '../domain/apply-lead-events.ts';
import type { Lead } from '../domain/lead.ts';
import { whyNotEnded } from '../domain/pending-lead.ts';
import { billingChanged, billingMessage } from '../messages/billing-message.ts';
import { unknownLead, wrongState } from '../requests/refusals.ts';

/**
 * Ends the billing of a pending lead whose Application never came: `not_billable`, for the reason `rejected`, and
 * BillingChanged tells the submission service, which tells the supplier. The submission service is asked first, since a
 * lead that it still moves is ended there. NOT_FOUND for an unknown lead, WRONG_STATE for one that is not pending or that
 * the submission service moves, SERVICE_UNAVAILABLE while it is. The reason is one of a list, since what staff write of a
 * person would outlive the person's erasure in the audit log. Implements docs/contract.md, section 6.
 */
export function closePendingLead(context: Context): Rpcs['closePendingLead'] {
  const { pool, clock, progressOf, wakes } = context;
  return async ({ submissionId: text, closeReason }, call) => {
    const submissionId = requestedId<SubmissionId>('submission_id', text);
    const [known] = await findLeads(pool, [submissionId]);
    refuseUnlessPending(known);
    const progress = await progressOf(submissionId);
    if (!progress) throw unknownLead();
    const wrong = whyNotEnded(progress);
    if (wrong) throw wrongState(wrong);
    const now = clock.now();
    const ended = await inTransaction(pool, async (tx) => {
      const lead = refuseUnlessPending(await lockLead(tx, submissionId));
      const changes = applyLeadEvents([lead], [endOf(lead, now)]);
      const [after] = changes.leads;
      if (!after) throw new Error('invariant violated: a pending lead was not ended');
      saveLeadChanges(
        tx,
        changes,
        changes.emissions.map((emission) => billingChanged(emission, now)),
      );
      const { accountId } = lead;
      await appendAudit(
        tx,
        auditEntry(call, {
          at: now,
          target: submissionId,
          accountId,
          after: { reason: CloseReason[closeReason] },
        }),
      );
      return after;
    });
    wakes.relay();
    return { submissionId, billing: billingMessage(ended.billingModel, ended) };
  };
}

function refuseUnlessPending(lead: Lead | undefined): Lead {
  if (!lead) throw unknownLead();
  if (lead.billingStatus !== 'pending') throw wrongState('The billing of this lead is not pending.');
  return lead;
}

/** What staff have decided, as an event like those of the submission service. */
function endOf(lead: Lead, at: Date) {
  return {
    id: newId<EventId>(),
    version: lead.lastSeenVersion,
    lead,
    facts: [{ kind: 'ended_by_staff' as const, at }],
    restatedStatus: null,
    context: currentContext() ?? { requestId: '', traceParent: '' },
  };
}
