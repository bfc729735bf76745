import type { AccountId } from '@supplier/lib/text/ids';
import type { BillingModel } from './ledger.ts';
import { type Month, monthAfter, startOf } from './month.ts';

/** What a lead of an account costs under a billing model from a time on, in whole pence, GBP. */
export interface Price {
  readonly accountId: AccountId;
  readonly billingModel: BillingModel;
  readonly pence: number;
  readonly effectiveFrom: Date;
  readonly setAt: Date;
}

/** A price with its place in the order in which prices were set. */
export interface SetPrice extends Price {
  readonly sequence: bigint;
}

/** How far ahead a price can be set. */
export const MAX_DAYS_AHEAD = 366;
/** How many charges can get their first price at once: on a busy machine, too, that takes the database a second or two. */
export const MAX_PRICED_AT_ONCE = 20_000;

/** What is there at the time from which a new price is to hold. */
export interface PriceSurroundings {
  /** The last month that is closed. */
  readonly closedThrough: Month | undefined;
  /** Charges from that time on until the next price takes effect: at most one more than may be priced at once. */
  readonly charges: number;
  /** Whether one of them has a price. */
  readonly anyPriced: boolean;
}

/** Tells why a price cannot take effect at a time; undefined when it can. No line's price ever changes. */
export function whyNotFrom(effectiveFrom: Date, found: PriceSurroundings): string | undefined {
  const { closedThrough, charges, anyPriced } = found;
  if (closedThrough && effectiveFrom < startOf(monthAfter(closedThrough)))
    return 'That time lies in a month that is closed: choose a time after it.';
  if (anyPriced) return 'Leads were billed at a price at or after that time: choose a later time.';
  if (charges > MAX_PRICED_AT_ONCE)
    return `More than ${MAX_PRICED_AT_ONCE} leads would get their first price at once: set it from a later time first, then from this one.`;
  return undefined;
}
