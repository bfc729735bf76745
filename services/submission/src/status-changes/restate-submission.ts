import { inTransaction } from '@supplier/lib/data/postgres';
import { appendAudit, auditEntry, onBehalfOf } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import type { Context, Rpcs } from '../context.ts';
import { restate } from '../model/transitions.ts';
import { submissionNotFound } from '../refusals.ts';
import { lockSubmission, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import { findRestatement } from './list-status-changes.sql.ts';

/**
 * Emits the state of a submission again, in an event like that of a change, with a later time than every event before.
 * Changes only that time. A repeated call with the same idempotency key emits nothing: its audit entry, written in the
 * transaction of the event, identifies the event. Implements docs/contract.md, section 7.
 */
export function restateSubmission(context: Context): Rpcs['restateSubmission'] {
  return async (request, call) => {
    const change = changeFor(request.reason);
    const restated = await inTransaction(context.pool, async (tx) => {
      const row = await lockSubmission(tx, request.submissionId.toLowerCase() as SubmissionId);
      if (!row) throw submissionNotFound();
      const { idempotencyKey } = request;
      const earlier = idempotencyKey && (await findRestatement(tx, row.id, idempotencyKey));
      if (earlier) return { eventId: earlier.eventId, occurredAt: toTimestamp(earlier.occurredAt) };
      const submission = restate(submissionOf(row), change, context.clock.now());
      const [eventId] = saveSubmissions(tx, context.keyRing, [submission]);
      if (!eventId) throw new Error('invariant violated: a restatement has no event');
      await appendAudit(
        tx,
        onBehalfOf(
          request.requester,
          auditEntry(call, {
            at: context.clock.now(),
            target: row.id,
            accountId: row.account_id,
            after: {
              reason: RestatementReason[request.reason],
              ...(idempotencyKey && { idempotencyKey, eventId, occurredAt: submission.state.changedAt }),
            },
          }),
        ),
      );
      return { eventId, occurredAt: toTimestamp(submission.state.changedAt) };
    });
    context.wakes.relay();
    return restated;
  };
}

function changeFor(reason: RestatementReason): StatusChange.TEST | StatusChange.REDELIVERY {
  switch (reason) {
    case RestatementReason.TEST:
      return StatusChange.TEST;
    case RestatementReason.REDELIVERY:
      return StatusChange.REDELIVERY;
    case RestatementReason.UNSPECIFIED:
      throw refuse(RefusalCode.VALIDATION_ERROR, 'A restatement requires a reason.', {
        violations: [{ path: 'reason', message: 'must be test or redelivery' }],
      });
    default:
      return reason satisfies never;
  }
}
