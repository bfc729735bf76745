import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Status } from '@supplier/proto/common/v1/status';
import type { Context, Rpcs } from '../context.ts';
import { toStatusMessage } from '../model/status-message.ts';
import { findSubmissions } from '../store/submissions.sql.ts';

/**
 * Returns the status and billing of up to 100 submissions as their suppliers see them, in no particular order, so that
 * the billing service can compare them with its ledger. Unknown ids are left out. VALIDATION_ERROR for an id that is
 * not a UUID. Implements docs/contract.md, section 6.
 */
export function listBilling({ pool }: Context): Rpcs['listBilling'] {
  return async ({ submissionIds }) => {
    const ids = submissionIds.map((id) => requestedId<SubmissionId>('submission_ids', id));
    const states = await findSubmissions(pool, ids);
    return {
      submissions: states.map((state) => {
        const { environment, status, billing, externalReference } = toStatusMessage(state);
        const { id: submissionId, accountId, returned } = state;
        return {
          submissionId,
          accountId,
          environment,
          status,
          externalReference,
          ...(billing ? { billing } : {}),
          ...(returned ? { returnedAt: toTimestamp(returned.at) } : {}),
        };
      }),
    };
  };
}

/**
 * Returns the ids of the submissions, out of up to 100, that were ever accepted, including returned ones, in no
 * particular order. Other services keep their data about a submission as long as the submission itself. Implements
 * docs/contract.md, section 10.
 */
export function listAccepted({ db }: Context): Rpcs['listAccepted'] {
  return async ({ submissionIds }) => {
    const ids = submissionIds.map((id) => requestedId<SubmissionId>('submission_ids', id));
    const accepted = await db.submission.findMany({
      where: { id: { in: ids }, status: { in: [Status.ACCEPTED, Status.RETURNED] } },
      select: { id: true },
    });
    return { submissionIds: accepted.map(({ id }) => id) };
  };
}
