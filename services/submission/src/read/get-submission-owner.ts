import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { submissionNotFound } from '../refusals.ts';
import { findOwner } from '../store/submissions.sql.ts';

/** Only the account and environment of a submission. Implements docs/contract.md, section 11. */
export function getSubmissionOwner({ pool }: Context): Rpcs['getSubmissionOwner'] {
  return async (request) => {
    const owner = await findOwner(pool, request.submissionId.toLowerCase() as SubmissionId);
    if (!owner) throw submissionNotFound();
    return owner;
  };
}
