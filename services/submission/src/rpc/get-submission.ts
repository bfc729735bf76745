import type { SubmissionId } from '@supplier/lib/ids';
import { callerOf, principalOf, requirePrincipal } from '@supplier/lib/rpc-server';
import type { Context, Rpcs } from '../context.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import { statusWithFreshHandoff } from '../lifecycle/journey-handoff.ts';
import { submissionNotFound } from '../requests/refusals.ts';

/**
 * Reads the current state by id. The gateway sees its supplier's own only. The supplier, and the webhook service that
 * sends it the same state, get a handoff link that works; staff get none, since it is a bearer secret. Implements
 * docs/contract.md, section 3.
 */
export function getSubmission(context: Context): Rpcs['getSubmission'] {
  return async (request, call) => {
    const { roles } = callerOf(call);
    const onBehalf = roles.includes('service:gateway') ? requirePrincipal(call) : principalOf(call);
    const tenant = onBehalf && { accountId: onBehalf.accountId, environment: onBehalf.environment };
    const found = await context.submissions.byId(request.submissionId.toLowerCase() as SubmissionId, tenant);
    if (!found) throw submissionNotFound();
    const showsLinks = onBehalf !== undefined || roles.includes('service:webhook');
    return showsLinks ? statusWithFreshHandoff(context, found) : toStatusMessage(found);
  };
}
