import type { AccountId } from '@supplier/lib/text/ids';
import type { BillingModel } from './ledger.ts';
import { type Month, monthAfter, startOf } from './month.ts';

/** The price of an account's submissions under a billing model from a given time, in whole pence, GBP. */
export interface Price {
  readonly accountId: AccountId;
  readonly billingModel: BillingModel;
  readonly pence: number;
  readonly effectiveFrom: Date;
  readonly setAt: Date;
}

/** A price with its position in the order in which prices were set. */
export interface SetPrice extends Price {
  readonly sequence: bigint;
}

/** Maximum number of days ahead that a price can be set. */
export const MAX_DAYS_AHEAD = 366;
/**
 * Maximum number of charges that can get their first price in one call: the database takes a second or two, even on a
 * busy machine.
 */
export const MAX_PRICED_AT_ONCE = 20_000;

/** Existing data that limits when a new price can take effect. */
export interface PriceSurroundings {
  readonly closedThrough: Month | undefined;
  /** Charges from that time until the next price takes effect; counted up to one more than MAX_PRICED_AT_ONCE. */
  readonly charges: number;
  /** Whether any of them has a price. */
  readonly anyPriced: boolean;
}

/** Returns why a price cannot take effect at a time; undefined when it can. The price of a line never changes. */
export function whyNotFrom(effectiveFrom: Date, found: PriceSurroundings): string | undefined {
  const { closedThrough, charges, anyPriced } = found;
  if (closedThrough && effectiveFrom < startOf(monthAfter(closedThrough)))
    return 'That time is in a closed month. Choose a later time.';
  if (anyPriced) return 'Submissions at or after that time already have a price. Choose a later time.';
  if (charges > MAX_PRICED_AT_ONCE)
    return `More than ${MAX_PRICED_AT_ONCE} lines would get their first price in one call. Set the price from a later time first, then from this one.`;
  return undefined;
}
