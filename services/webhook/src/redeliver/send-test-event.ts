import { actorOf, appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { refuseUnlessActive } from '../refusals.ts';
import { findEndpoint } from '../store/endpoints.ts';

/**
 * Makes the submission service emit the present status of a submission again. The resulting event is like any other,
 * with its own time: it is recorded and delivered moments after this answer. The audit entry is written first, so that
 * nothing is sent without one. NOT_FOUND for an unknown submission, WRONG_STATE without an active endpoint: then
 * nothing is emitted. A call repeated with the same idempotency key emits nothing more. Implements docs/contract.md, section 7.
 */
export function sendTestEvent({ clock, ownerOf, restate, idempotent }: Context): Rpcs['sendTestEvent'] {
  return idempotent.resumable(async (request, call, act) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const owner = await ownerOf(submissionId);
    if (!owner) throw noSubmission();
    const { accountId, environment } = owner;
    await act.begin(async (tx) => {
      const endpoint = refuseUnlessActive(await findEndpoint(tx, accountId, environment));
      await appendAudit(
        tx,
        auditEntry(call, {
          at: clock.now(),
          target: submissionId,
          accountId,
          after: { submissionId, environment, endpointId: endpoint.endpointId },
        }),
      );
    });
    const restated = await restate(submissionId, 'test', actorOf(call), act.id());
    if (!restated) throw noSubmission();
    return act.end({ eventId: restated.eventId, occurredAt: toTimestamp(restated.occurredAt) });
  });
}

function noSubmission() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
}
