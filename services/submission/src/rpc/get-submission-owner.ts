import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/ids';
import type {
  GetSubmissionOwnerRequest,
  GetSubmissionOwnerResponseSchema,
} from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { findOwner } from '../db/find-submission.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

type Response = MessageInitShape<typeof GetSubmissionOwnerResponseSchema>;

/** Whose submission it is, and nothing else of it. Implements docs/contract.md, section 11. */
export function getSubmissionOwner({ pool }: Context): Rpc<GetSubmissionOwnerRequest, Response> {
  return async (request) => {
    const owner = await findOwner(pool, request.submissionId.toLowerCase() as SubmissionId);
    if (!owner) throw submissionNotFound();
    return owner;
  };
}
