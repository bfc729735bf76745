import { isMonth, thisMonth } from '../../dates.ts';
import { UUID } from '../../format.ts';

/** Ages of pending billing that can be filtered by. */
export const AGES_DAYS = [7, 30, 90] as const;

/** The filters, which are URL parameters. */
export interface BillingSearch {
  /** The month of the statements. Unset for the present one, or for the latest ones of a supplier. */
  readonly month?: string;
  readonly account?: string;
  /** Least age of pending billing in days. */
  readonly pending?: (typeof AGES_DAYS)[number];
}

/** Returns the valid filters of a URL. Anything else is dropped. */
export function billingSearch({ month, account, pending }: Record<string, unknown>): BillingSearch {
  const age = AGES_DAYS.find((days) => days === Number(pending));
  return {
    ...(typeof month === 'string' && isMonth(month) && month <= thisMonth() ? { month } : {}),
    ...(typeof account === 'string' && UUID.test(account) ? { account } : {}),
    ...(age ? { pending: age } : {}),
  };
}
