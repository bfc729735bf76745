import { callerOf, requirePrincipal } from '@supplier/lib/rpc/rpc-server';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { statusWithFreshHandoff, statusWithHandoff } from '../journey/journey-handoff.ts';
import { toStatusMessage } from '../model/status-message.ts';
import { submissionNotFound } from '../refusals.ts';

/**
 * Reads the current state by id. A supplier finds only its own, with a working handoff link: the only read that creates
 * one. The webhook service finds a submission of the owner that it names, with the link while it works. Staff get no
 * link, since it is a bearer secret. Implements docs/contract.md, section 3.
 */
export function getSubmission(context: Context): Rpcs['getSubmission'] {
  const find = async (id: string, tenant?: Parameters<typeof context.submissions.byId>[1]) => {
    const found = await context.submissions.byId(id.toLowerCase() as SubmissionId, tenant);
    if (!found) throw submissionNotFound();
    return found;
  };
  return async ({ submissionId, owner }, call) => {
    const { roles } = callerOf(call);
    if (roles.includes('service:gateway')) {
      const { accountId, environment } = requirePrincipal(call);
      return statusWithFreshHandoff(context, await find(submissionId, { accountId, environment }));
    }
    if (roles.includes('service:webhook')) {
      if (!owner) throw submissionNotFound();
      const accountId = owner.accountId.toLowerCase() as AccountId;
      const found = await find(submissionId, { accountId, environment: owner.environment });
      return statusWithHandoff(context, context.pool, found);
    }
    return toStatusMessage(await find(submissionId));
  };
}
