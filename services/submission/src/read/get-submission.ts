import { requestedId } from '@supplier/lib/rpc/refusal';
import { callerOf, requirePrincipal } from '@supplier/lib/rpc/rpc-server';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { statusWithFreshHandoff, statusWithHandoff } from '../journey/index.ts';
import { toStatusMessage } from '../model/status-message.ts';
import { submissionNotFound } from '../refusals.ts';

/**
 * Returns the current state by id. A supplier finds only its own submissions, with a working handoff link; this is the
 * only read that creates one. The webhook service finds a submission of the owner it names, with the link while it
 * works. Staff get no link, since it is a bearer secret. Implements docs/contract.md, section 3.
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

/**
 * Returns only the id of the submission with a reference of an account. NOT_FOUND for a reference that the account has
 * not used in that environment, or whose submission has been erased. Implements docs/contract.md, section 11.
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

/**
 * Returns the current state by the supplier's reference, with the handoff link while it works. Implements
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

/** Returns only the account and environment of a submission. Implements docs/contract.md, section 11. */
export function getSubmissionOwner({ db }: Context): Rpcs['getSubmissionOwner'] {
  return async ({ submissionId }) => {
    const owner = await db.submission.findUnique({
      where: { id: submissionId.toLowerCase() },
      select: { accountId: true, environment: true },
    });
    if (!owner) throw submissionNotFound();
    return owner;
  };
}

/**
 * Returns the accounts and environments of up to 1,000 submissions in no particular order, so that other services can
 * compare what they hold. Omits unknown ids. VALIDATION_ERROR for an id that is not a UUID. Implements
 * docs/contract.md, section 11.
 */
export function listOwners({ db }: Context): Rpcs['listOwners'] {
  return async ({ submissionIds }) => {
    const ids = submissionIds.map((id) => requestedId<SubmissionId>('submission_ids', id));
    const rows = await db.submission.findMany({
      where: { id: { in: ids } },
      select: { id: true, accountId: true, environment: true },
    });
    return { owners: rows.map(({ id, ...owner }) => ({ submissionId: id, ...owner })) };
  };
}
