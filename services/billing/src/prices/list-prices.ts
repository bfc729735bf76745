import { requestedPage } from '@supplier/lib/rpc/page-token';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import { ListPricesRequestSchema } from '@supplier/proto/billing/v1/prices';
import type { Context, Rpcs } from '../context.ts';
import { priceMessage } from '../model/money-message.ts';
import { unknownAccount } from '../refusals.ts';
import { listPrices as listSet } from './prices.sql.ts';

/**
 * The prices of an account, those set last first, page by page. NOT_FOUND for an unknown account, VALIDATION_ERROR for a
 * page token of another query. Implements docs/contract.md, section 6.
 */
export function listPrices({ pool, accountExists }: Context): Rpcs['listPrices'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const page = requestedPage(ListPricesRequestSchema, request, sequenceOf);
    // One more than requested shows whether there is another page.
    const found = await listSet(pool, accountId, page.after, page.size + 1);
    if (found.length === 0 && !(await accountExists(accountId))) throw unknownAccount();
    const prices = found.slice(0, page.size);
    const last = found.length > page.size ? prices.at(-1) : undefined;
    return {
      prices: prices.map(priceMessage),
      nextPageToken: page.tokenAfter(last && String(last.sequence)),
    };
  };
}

function sequenceOf(text: string): bigint | undefined {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : undefined;
}
