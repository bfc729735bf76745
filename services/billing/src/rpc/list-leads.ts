import { type AccountId, isUuid, type SubmissionId } from '@supplier/lib/ids';
import { requestedPage } from '@supplier/lib/page-token';
import { requestedId } from '@supplier/lib/refusal';
import { toTimestamp } from '@supplier/lib/time';
import { ListLeadsRequestSchema } from '@supplier/proto/billing/v1/pending_leads';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Context, Rpcs } from '../context.ts';
import { countPendingLeads, listPendingLeads, type PendingFilter } from '../db/pending-leads.ts';
import { firstIdAt, receivedAt } from '../domain/pending-lead.ts';
import { BILLING_MODELS, ENVIRONMENTS } from '../messages/enum-mapping.ts';

const DAY_MS = 86_400_000;

/**
 * Leads whose billing is pending, received some days ago or earlier, those received first before the others; the first
 * page tells how many there are, too. A page looks at 5,000 leads and counting at 10,000 at most. VALIDATION_ERROR for a
 * page token of another query. Implements docs/contract.md, section 6.
 */
export function listLeads({ pool, clock }: Context): Rpcs['listLeads'] {
  return async (request) => {
    const page = requestedPage(ListLeadsRequestSchema, request, submissionIdOf);
    const accountId =
      request.accountId === '' ? undefined : requestedId<AccountId>('account_id', request.accountId);
    // Billing is never pending there.
    if (request.environment === Environment.SANDBOX) return { count: 0 };
    const latest = new Date(clock.now().getTime() - request.pendingDays * DAY_MS);
    const filter = { accountId, before: firstIdAt(latest) };
    const { leads, next } = await listPendingLeads(pool, filter, page.after, page.size);
    return {
      leads: leads.map(({ submissionId, accountId: owner, environment, billingModel }) => ({
        submissionId,
        accountId: owner,
        environment: ENVIRONMENTS[environment],
        billingModel: BILLING_MODELS[billingModel],
        receivedAt: toTimestamp(receivedAt(submissionId)),
      })),
      nextPageToken: page.tokenAfter(next),
      ...(page.after ? {} : await countOf(filter)),
    };
  };

  async function countOf(filter: PendingFilter) {
    const { count, isAtLeast, oldest } = await countPendingLeads(pool, filter);
    return {
      count,
      countIsAtLeast: isAtLeast,
      ...(oldest ? { oldestReceivedAt: toTimestamp(receivedAt(oldest)) } : {}),
    };
  }
}

function submissionIdOf(text: string): SubmissionId | undefined {
  return isUuid(text) ? (text as SubmissionId) : undefined;
}
