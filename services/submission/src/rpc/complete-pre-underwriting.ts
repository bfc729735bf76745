import type { SubmissionId } from '@supplier/lib/ids';
import { inTransaction } from '@supplier/lib/postgres';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { callerOf } from '@supplier/lib/rpc-server';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import {
  type CompletePreUnderwritingRequest,
  PreUnderwritingState,
} from '@supplier/proto/submission/v1/submission';
import type { Context, Rpcs } from '../context.ts';
import { appendAudit } from '../db/audit.ts';
import { leadOf, lockLead } from '../db/load-leads.ts';
import { saveLeads } from '../db/save-leads.ts';
import { waitsForStaff } from '../domain/lead.ts';
import { canBeReturned } from '../domain/return-window.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import type { SubmissionState } from '../domain/submission.ts';
import { completePreUnderwriting as endPreUnderwriting, returnLead } from '../domain/transitions.ts';
import { submissionNotFound } from '../requests/refusals.ts';

/** What staff have found: cleared, or not cleared for a reason. */
type Outcome =
  | { readonly state: PreUnderwritingState.CLEARED }
  | { readonly state: PreUnderwritingState.NOT_CLEARED; readonly reason: ReturnReasonCategory };

/**
 * The outcome of a pre-underwriting that failed by policy and was left to staff. What staff do not clear is returned in
 * the same transaction, within the return window. Audited. Implements docs/contract.md, section 5.
 */
export function completePreUnderwriting(context: Context): Rpcs['completePreUnderwriting'] {
  return async (request, call) => {
    const outcome = parseOutcome(request);
    const actor = callerOf(call).subject;
    const { clock, keyRing, pool, wakes } = context;
    const state = await inTransaction(pool, async (tx) => {
      const row = await lockLead(tx, request.submissionId.toLowerCase() as SubmissionId);
      if (!row) throw submissionNotFound();
      const lead = leadOf(row);
      const now = clock.now();
      if (!waitsForStaff(lead) || !canBeCompleted(context, lead.state, outcome, now)) {
        throw refuse(RefusalCode.WRONG_STATE, 'No pre-underwriting of this submission can be completed so.');
      }
      const completed = endPreUnderwriting(lead, outcome.state, now);
      const next = 'reason' in outcome ? returnLead(completed, outcome.reason, now) : completed;
      saveLeads(tx, keyRing, [next]);
      await appendAudit(tx, { at: now, actor, action: 'complete-pre-underwriting', subject: row.id });
      return next.state;
    });
    wakes.events();
    return toStatusMessage(state);
  };
}

function canBeCompleted(
  { config }: Context,
  submission: SubmissionState,
  outcome: Outcome,
  now: Date,
): boolean {
  return outcome.state === PreUnderwritingState.CLEARED
    ? submission.status === Status.ACCEPTED
    : canBeReturned(submission, now, config.returnWindowDays);
}

function parseOutcome({ outcome, returnReason }: CompletePreUnderwritingRequest): Outcome {
  const stated = returnReason !== ReturnReasonCategory.UNSPECIFIED;
  if (outcome === PreUnderwritingState.CLEARED) {
    if (!stated) return { state: outcome };
    throw invalid('return_reason', 'must be absent when the outcome is cleared');
  }
  if (outcome === PreUnderwritingState.NOT_CLEARED) {
    if (stated) return { state: outcome, reason: returnReason };
    throw invalid('return_reason', 'is required when the outcome is not cleared');
  }
  throw invalid('outcome', 'must be cleared or not cleared');
}

function invalid(path: string, message: string) {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The outcome is not complete.', {
    violations: [{ path, message }],
  });
}
