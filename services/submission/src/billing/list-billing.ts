import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { toStatusMessage } from '../model/status-message.ts';
import { findAccepted, findSubmissions } from '../store/submissions.sql.ts';

/**
 * The status and billing of up to 100 submissions as their suppliers see them, in no order: for the billing service's
 * comparison with its ledger. Those that do not exist are left out. VALIDATION_ERROR for an id that is not a UUID.
 * Implements docs/contract.md, section 6.
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
 * Those of up to 100 submissions that were ever accepted, returned ones included, in no order: only their ids. Other
 * services keep their data of a submission as long as the submission itself. Implements docs/contract.md, section 10.
 */
export function listAccepted({ pool }: Context): Rpcs['listAccepted'] {
  return async ({ submissionIds }) => ({
    submissionIds: await findAccepted(
      pool,
      submissionIds.map((id) => requestedId<SubmissionId>('submission_ids', id)),
    ),
  });
}
