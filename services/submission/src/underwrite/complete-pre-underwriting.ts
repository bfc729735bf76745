import { inTransaction } from '@supplier/lib/data/postgres';
import { auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import {
  type CompletePreUnderwritingRequest,
  PreUnderwritingState,
} from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import type { Context, Rpcs } from '../context.ts';
import { runBatch } from '../decide/index.ts';
import { type LockedSubmission, waitsForStaff } from '../model/locked-submission.ts';
import { toStatusMessage } from '../model/status-message.ts';
import {
  canBeReturned,
  clearPreUnderwriting,
  closePreUnderwriting,
  returnSubmission,
} from '../model/transitions.ts';
import { submissionNotFound } from '../refusals.ts';
import { COMPLETIONS, findActor, RETURNS } from '../store/find-actor.sql.ts';
import { lockSubmission, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';

/** The outcome by staff: cleared, or not cleared and therefore returned or, if that is no longer possible, closed. */
type Outcome =
  | { readonly kind: 'cleared' }
  | { readonly kind: 'returned'; readonly reason: ReturnReasonCategory }
  | { readonly kind: 'closed'; readonly reason: string | undefined };

/**
 * Records the outcome of a pre-underwriting that failed by policy and was left to staff. A submission that staff do not clear
 * is returned in the same transaction, within the return window; after it the submission stays accepted and is closed with a
 * reason, which is not stored if the applicant was erased. Audited. Implements docs/contract.md, sections 5 and 6.
 */
export function completePreUnderwriting(context: Context): Rpcs['completePreUnderwriting'] {
  return async (request, call) => {
    const outcome = parseOutcome(request);
    const { clock, config, keyRing, pool, wakes } = context;
    const state = await inTransaction(pool, async (tx) => {
      const row = await lockSubmission(tx, request.submissionId.toLowerCase() as SubmissionId);
      if (!row) throw submissionNotFound();
      const submission = submissionOf(row);
      const now = clock.now();
      const wrong = whyNot(submission, outcome, canBeReturned(submission, now, config.returnWindowDays));
      if (wrong) throw refuse(RefusalCode.WRONG_STATE, (await howCompleted(tx, submission)) ?? wrong);
      const next = complete(submission, row.enquiry === null ? withoutWords(outcome) : outcome, now);
      saveSubmissions(tx, keyRing, [next]);
      await auditCall(tx, call, {
        at: now,
        target: row.id,
        accountId: row.account_id,
        before: { status: Status[row.status] },
        after: {
          status: Status[next.state.status],
          outcome: outcome.kind,
          ...(outcome.kind === 'returned' && { reasonCategory: ReturnReasonCategory[outcome.reason] }),
        },
      });
      return next.state;
    });
    wakes.relay();
    return toStatusMessage(state);
  };
}

/** Explains why a submission cannot have this outcome; undefined when it can. */
function whyNot(submission: LockedSubmission, outcome: Outcome, returnable: boolean): string | undefined {
  if (!waitsForStaff(submission) || submission.state.status !== Status.ACCEPTED) {
    return 'This submission has no pre-underwriting awaiting review.';
  }
  if (outcome.kind === 'returned' && !returnable) {
    return 'The return window has passed. Set a close reason instead.';
  }
  if (outcome.kind === 'closed' && returnable) {
    return 'The submission can still be returned. Set a return reason instead.';
  }
  return undefined;
}

/** Describes who has already completed it and when; undefined if it is not completed. */
async function howCompleted(
  tx: pg.PoolClient,
  { state: { id }, preUnderwriting }: LockedSubmission,
): Promise<string | undefined> {
  if (!preUnderwriting?.at || preUnderwriting.state === PreUnderwritingState.PENDING) return undefined;
  const by = await findActor(tx, id, [...COMPLETIONS, ...RETURNS]);
  const outcome = preUnderwriting.state === PreUnderwritingState.CLEARED ? 'cleared' : 'not cleared';
  return `Pre-underwriting has already been completed, by ${by} at ${preUnderwriting.at.toISOString()}: ${outcome}.`;
}

function complete(submission: LockedSubmission, outcome: Outcome, now: Date): LockedSubmission {
  switch (outcome.kind) {
    case 'cleared':
      return clearPreUnderwriting(submission, now);
    case 'returned':
      return returnSubmission(submission, outcome.reason, now);
    case 'closed':
      return closePreUnderwriting(submission, outcome.reason, now);
  }
}

/** Free text about an erased applicant is not stored. */
function withoutWords(outcome: Outcome): Outcome {
  return outcome.kind === 'closed' ? { kind: 'closed', reason: undefined } : outcome;
}

function parseOutcome({ outcome, returnReason, closeReason }: CompletePreUnderwritingRequest): Outcome {
  const returned = returnReason !== ReturnReasonCategory.UNSPECIFIED;
  const closed = closeReason !== undefined;
  if (outcome === PreUnderwritingState.CLEARED) {
    if (returned) throw invalid('return_reason', 'must be absent when the outcome is cleared');
    if (closed) throw invalid('close_reason', 'must be absent when the outcome is cleared');
    return { kind: 'cleared' };
  }
  if (outcome !== PreUnderwritingState.NOT_CLEARED) {
    throw invalid('outcome', 'must be cleared or not cleared');
  }
  if (returned && closed) throw invalid('close_reason', 'must be absent when the submission is returned');
  if (returned) return { kind: 'returned', reason: returnReason };
  if (closed) return { kind: 'closed', reason: closeReason };
  throw invalid('return_reason', 'is required when the outcome is not cleared');
}

function invalid(path: string, message: string) {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The outcome is incomplete.', {
    violations: [{ path, message }],
  });
}

/**
 * Records up to 100 outcomes of pre-underwritings left to staff, with a result for each. Implements docs/contract.md,
 * section 5.
 */
export function completePreUnderwritings(context: Context): Rpcs['completePreUnderwritings'] {
  const act = completePreUnderwriting(context);
  return ({ completions }, call) => runBatch(context, 'completions', completions, call, act);
}
