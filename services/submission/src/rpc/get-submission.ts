import type { SubmissionId } from '@supplier/lib/ids';
import { callerOf, principalOf, requirePrincipal } from '@supplier/lib/rpc-server';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { GetSubmissionRequest } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { findSubmission } from '../db/find-submission.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

/** Reads the current state by id. The gateway sees its supplier's own only. Implements docs/contract.md, section 3. */
export function getSubmission({ db }: Context): Rpc<GetSubmissionRequest, SubmissionStatus> {
  return async (request, call) => {
    const onBehalf = callerOf(call).roles.includes('service:gateway')
      ? requirePrincipal(call)
      : principalOf(call);
    const tenant = onBehalf && { accountId: onBehalf.accountId, environment: onBehalf.environment };
    const state = await findSubmission(db, request.submissionId.toLowerCase() as SubmissionId, tenant);
    if (!state) throw submissionNotFound();
    return toStatusMessage(state);
  };
}
