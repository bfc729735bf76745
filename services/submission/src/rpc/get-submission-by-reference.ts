import { requirePrincipal } from '@supplier/lib/rpc-server';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { GetSubmissionByReferenceRequest } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { findSubmissionByReference } from '../db/find-submission.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

/** Reads the current state by the supplier's own reference. Implements docs/contract.md, section 3. */
export function getSubmissionByReference({
  db,
}: Context): Rpc<GetSubmissionByReferenceRequest, SubmissionStatus> {
  return async ({ externalReference }, call) => {
    const { accountId, environment } = requirePrincipal(call);
    const state = await findSubmissionByReference(db, { accountId, environment }, externalReference);
    if (!state) throw submissionNotFound();
    return toStatusMessage(state);
  };
}
