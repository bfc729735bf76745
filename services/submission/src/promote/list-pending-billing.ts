import { requestedPage } from '@supplier/lib/rpc/page-token';
import { requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, firstIdAt, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { ListPendingBillingRequestSchema } from '@supplier/proto/submission/v1/pending_billing';
import type { Context, Rpcs } from '../context.ts';
import {
  countPendingSubmissions,
  listPendingBilling as listPending,
  type PendingFilter,
} from './pending-billing.sql.ts';

const DAY_MS = 86_400_000;

/**
 * Lists accepted submissions whose billing is pending, received at least this many days ago, in order of receipt. The
 * first page includes their count. A page reads at most 5,000 of them, and at most 10,000 are counted. VALIDATION_ERROR
 * for a page token of another query. Implements docs/contract.md, section 6.
 */
export function listPendingBilling({
  pool,
  clock,
}: Pick<Context, 'pool' | 'clock'>): Rpcs['listPendingBilling'] {
  return async (request) => {
    const page = requestedPage(ListPendingBillingRequestSchema, request, parseId<SubmissionId>);
    const accountId =
      request.accountId === '' ? undefined : requestedId<AccountId>('account_id', request.accountId);
    // Billing is never pending in the sandbox.
    if (request.environment === Environment.SANDBOX) return { count: 0 };
    const before = firstIdAt<SubmissionId>(clock.now().getTime() - request.pendingDays * DAY_MS);
    const filter = { accountId, before };
    const { submissions, next } = await listPending(pool, filter, page.after, page.size);
    return {
      submissions: submissions.map(({ id: submissionId, receivedAt, ...submission }) => ({
        submissionId,
        ...submission,
        receivedAt: toTimestamp(receivedAt),
      })),
      nextPageToken: page.tokenAfter(next),
      ...(page.after ? {} : await countOf(filter)),
    };
  };

  async function countOf(filter: PendingFilter) {
    const { count, isAtLeast, oldestReceivedAt } = await countPendingSubmissions(pool, filter);
    return {
      count,
      countIsAtLeast: isAtLeast,
      ...(oldestReceivedAt ? { oldestReceivedAt: toTimestamp(oldestReceivedAt) } : {}),
    };
  }
}
