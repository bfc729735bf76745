import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { findAccepted } from '../store/submissions.sql.ts';

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
