import { requirePrincipal } from '@supplier/lib/rpc-server';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { GetSubmissionByReferenceRequest } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { statusWithHandoff } from '../lifecycle/journey-handoff.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

/**
 * Reads the current state by the supplier's own reference, with the handoff link while it works. Implements
 * docs/contract.md, section 3.
 */
export function getSubmissionByReference(
  context: Context,
): Rpc<GetSubmissionByReferenceRequest, SubmissionStatus> {
  return async ({ externalReference }, call) => {
    const { accountId, environment } = requirePrincipal(call);
    const found = await context.submissions.byReference({ accountId, environment }, externalReference);
    if (!found) throw submissionNotFound();
    return statusWithHandoff(context, context.pool, found.state);
  };
}
