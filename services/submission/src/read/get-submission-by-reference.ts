import { requirePrincipal } from '@supplier/lib/rpc/rpc-server';
import type { Context, Rpcs } from '../context.ts';
import { statusWithHandoff } from '../journey/journey-handoff.ts';
import { submissionNotFound } from '../refusals.ts';

/**
 * Reads the current state by the supplier's own reference, with the handoff link while it works. Implements
 * docs/contract.md, section 3.
 */
export function getSubmissionByReference(context: Context): Rpcs['getSubmissionByReference'] {
  return async ({ externalReference }, call) => {
    const { accountId, environment } = requirePrincipal(call);
    const found = await context.submissions.byReference({ accountId, environment }, externalReference);
    if (!found) throw submissionNotFound();
    return statusWithHandoff(context, context.pool, found.state);
  };
}
