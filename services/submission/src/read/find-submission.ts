import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { submissionNotFound } from '../refusals.ts';

/**
 * Only the id of the submission that a reference of an account belongs to. NOT_FOUND for a reference that the account
 * has not used in that environment, or whose submission has been erased. Implements docs/contract.md, section 11.
 */
export function findSubmission({ submissions }: Context): Rpcs['findSubmission'] {
  return async ({ accountId, environment, externalReference }) => {
    const tenant = { accountId: accountId.toLowerCase() as AccountId, environment };
    const found = await submissions.byReference(tenant, externalReference);
    // Nothing may be added to an erased submission.
    if (!found || found.bodyDigest === null) throw submissionNotFound();
    return { submissionId: found.state.id };
  };
}
