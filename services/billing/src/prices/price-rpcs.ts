import { auditCall } from '@supplier/lib/governance/audit';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { invalid, requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import { formatTimestamp, toDate } from '@supplier/lib/text/time';
import { ListPricesRequestSchema, type SetPriceRequest } from '@supplier/proto/billing/v1/prices';
import type { Context, Rpcs } from '../context.ts';
import { BILLING_MODELS, nameOf, priceMessage } from '../model/messages.ts';
import { MAX_DAYS_AHEAD, type Price, whyNotFrom } from '../model/price.ts';
import { unknownAccount, wrongState } from '../requests.ts';
import { lockLedger } from '../store/ledger.sql.ts';
import {
  findPriceInEffect,
  findPriceSurroundings,
  insertPrice,
  listPrices as listSet,
} from './prices.sql.ts';

/**
 * Sets the price of a submission from a given time and prices the unpriced lines that it covers, while no lines can be
 * entered. Returns the existing price if the same price already applies at that time, and the original response if the
 * call is repeated with the same idempotency key. Throws VALIDATION_ERROR for a time more than 366 days ahead,
 * NOT_FOUND for an unknown account, SERVICE_UNAVAILABLE while the account service is unavailable, and WRONG_STATE when
 * a line's price or a closed month would change. Implements docs/contract.md, section 6.
 */
export function setPrice({ clock, accountExists, idempotent }: Context): Rpcs['setPrice'] {
  return idempotent.once(async (request, call, act) => {
    const price = requestedPrice(request, clock.now());
    const { accountId, setAt } = price;
    if (!(await accountExists(accountId))) throw unknownAccount();
    return act(async (tx) => {
      await lockLedger(tx, accountId);
      const inEffect = await findPriceInEffect(tx, price);
      if (inEffect?.pence === price.pence) return { price: priceMessage(inEffect), linesPriced: 0 };
      const wrong = whyNotFrom(price.effectiveFrom, await findPriceSurroundings(tx, price));
      if (wrong) throw wrongState(wrong);
      const set = await insertPrice(tx, price);
      const { billingModel, pence } = price;
      const effectiveFrom = formatTimestamp(price.effectiveFrom);
      const after = { billingModel, pence, effectiveFrom, linesPriced: set.linesPriced };
      await auditCall(tx, call, { at: setAt, target: accountId, accountId, after });
      return { price: priceMessage(set.price), linesPriced: set.linesPriced };
    });
  });
}

function requestedPrice(request: SetPriceRequest, now: Date): Price {
  const accountId = requestedId<AccountId>('account_id', request.accountId);
  const { billingModel, pence } = request;
  if (pence === undefined) throw invalid('pence', 'is required');
  const effectiveFrom = request.effectiveFrom ? toDate(request.effectiveFrom) : now;
  const latest = now.getTime() + MAX_DAYS_AHEAD * 86_400_000;
  // This form of the comparison also rejects NaN.
  if (!(effectiveFrom.getTime() >= 0 && effectiveFrom.getTime() <= latest))
    throw invalid('effective_from', `must be at most ${MAX_DAYS_AHEAD} days ahead`);
  return {
    accountId,
    billingModel: nameOf(BILLING_MODELS, billingModel),
    pence,
    effectiveFrom,
    setAt: now,
  };
}

/**
 * Lists the prices of an account, most recently set first, page by page. Throws NOT_FOUND for an unknown account and
 * VALIDATION_ERROR for a page token of another query. Implements docs/contract.md, section 6.
 */
export function listPrices({ db, accountExists }: Context): Rpcs['listPrices'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const page = requestedPage(ListPricesRequestSchema, request, sequenceOf);
    // One extra row shows whether there is another page.
    const found = await listSet(db, accountId, page.after, page.size + 1);
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
