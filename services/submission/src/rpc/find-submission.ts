import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AccountId } from '@supplier/lib/ids';
import type {
  FindSubmissionRequest,
  FindSubmissionResponseSchema,
} from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

type Response = MessageInitShape<typeof FindSubmissionResponseSchema>;

/**
 * The id of the submission that a reference of an account belongs to, and nothing else of it. NOT_FOUND for a reference
 * that the account has not used in that environment. Implements docs/contract.md, section 11.
 */
export function findSubmission({ submissions }: Context): Rpc<FindSubmissionRequest, Response> {
  return async ({ accountId, environment, externalReference }) => {
    const tenant = { accountId: accountId.toLowerCase() as AccountId, environment };
    const found = await submissions.byReference(tenant, externalReference);
    if (!found) throw submissionNotFound();
    return { submissionId: found.state.id };
  };
}
