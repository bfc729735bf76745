import { requestedPage } from '@supplier/lib/rpc/page-token';
import { type AccountId, parseId } from '@supplier/lib/text/ids';
import { ListScheduledTermsRequestSchema } from '@supplier/proto/account/v1/scheduled_terms';
import type { Context, Rpcs } from '../context.ts';
import type { ScheduledTermsId } from '../model/scheduled-terms.ts';
import { scheduledTermsMessage } from '../model/scheduled-terms-message.ts';
import { idFrom, unknownAccount } from '../refusals.ts';
import { accountExists } from '../store/account-rows.ts';
import { listScheduledTerms as listLatest } from '../store/scheduled-terms-rows.ts';

/**
 * All terms that were ever scheduled for an account, latest made first, page by page. Throws NOT_FOUND for an unknown
 * account, and VALIDATION_ERROR for a page token of another query.
 */
export function listScheduledTerms({ db, clock }: Context): Rpcs['listScheduledTerms'] {
  return async (request) => {
    const accountId = idFrom<AccountId>('account_id', request.accountId);
    const page = requestedPage(ListScheduledTermsRequestSchema, request, parseId<ScheduledTermsId>);
    if (!(await accountExists(db, accountId))) throw unknownAccount();
    // One more than asked for tells whether there is another page.
    const rows = await listLatest(db, accountId, page.after, page.size + 1);
    const shown = rows.slice(0, page.size);
    const now = clock.now();
    return {
      scheduledTerms: shown.map((terms) => scheduledTermsMessage(terms, now)),
      nextPageToken: page.tokenAfter(rows.length > page.size ? shown.at(-1)?.id : undefined),
    };
  };
}
