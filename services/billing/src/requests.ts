import { invalid, RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { type Month, monthOf, parseMonth } from './model/month.ts';

/**
 * Returns the month in the request field `month`. Throws VALIDATION_ERROR for a malformed month and for one in the
 * future.
 */
export function requestedMonth(text: string, now: Date): Month {
  const month = parseMonth(text);
  if (!month) throw invalid('month', 'must be a month as YYYY-MM');
  if (month > monthOf(now)) throw invalid('month', 'must not be in the future');
  return month;
}

export function unknownAccount() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such account.');
}

export function wrongState(message: string) {
  return refuse(RefusalCode.WRONG_STATE, message);
}
