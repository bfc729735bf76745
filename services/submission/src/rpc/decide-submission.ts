import type { SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { callerOf } from '@supplier/lib/rpc-server';
import { Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { DecideSubmissionRequest } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { appendAudit } from '../db/append-audit.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { openSubmission } from '../db/submission-row.ts';
import type { DecidedStatus } from '../domain/decision-policy.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import { applyDecision } from '../lifecycle/apply-decision.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

const STAFF_POLICY = 'staff';

/** A decision by staff, on a submission that is still `received`. Implements docs/contract.md, section 5. */
export function decideSubmission(context: Context): Rpc<DecideSubmissionRequest, SubmissionStatus> {
  return async (request, call) => {
    const status = parseDecision(request.decision);
    const caller = callerOf(call);
    return context.db.$transaction(async (tx) => {
      const row = await lockSubmission(tx, request.submissionId.toLowerCase() as SubmissionId);
      if (!row) throw submissionNotFound();
      if (row.status !== Status.RECEIVED) {
        throw refuse(RefusalCode.WRONG_STATE, 'The submission has already been decided.');
      }
      const grounds = { status, policyVersion: STAFF_POLICY, rule: STAFF_POLICY, reason: request.reason };
      const decided = await applyDecision(context, tx, openSubmission(row, context.keyRing), grounds);
      await appendAudit(tx, context.clock, {
        actor: caller.subject,
        action: 'decide-submission',
        subject: decided.id,
      });
      return toStatusMessage(decided);
    });
  };
}

function parseDecision(decision: Status): DecidedStatus {
  if (
    decision === Status.ACCEPTED ||
    decision === Status.REJECTED ||
    decision === Status.DUPLICATE_NOT_ACCEPTED
  ) {
    return decision;
  }
  throw refuse(RefusalCode.VALIDATION_ERROR, 'A decision accepts, rejects or finds a duplicate.', {
    violations: [{ path: 'decision', message: 'must be accepted, rejected or duplicate_not_accepted' }],
  });
}
