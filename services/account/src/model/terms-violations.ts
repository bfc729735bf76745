import type { Terms } from '@supplier/proto/common/v1/principal';
import { repeatViolations, type Violation } from './violations.ts';

/** Amounts and counts that must not be below zero; a cap of zero accepts nothing, which pauses an account. */
const NOT_NEGATIVE: Readonly<Record<string, (terms: Terms) => number | undefined>> = {
  'thresholds.minimum_funding_amount': (terms) => terms.thresholds?.minimumFundingAmount,
  'thresholds.maximum_funding_amount': (terms) => terms.thresholds?.maximumFundingAmount,
  'thresholds.minimum_annual_turnover_gbp': (terms) => terms.thresholds?.minimumAnnualTurnoverGbp,
  'caps.accepted_per_day': (terms) => terms.caps?.acceptedPerDay,
  'caps.accepted_per_month': (terms) => terms.caps?.acceptedPerMonth,
};

/** All that is contradictory in `terms`, beyond the rules of the contract, with paths below `terms`; empty when they are valid. */
export function termsViolations(terms: Terms): Violation[] {
  return [
    ...Object.entries(NOT_NEGATIVE).flatMap(([path, read]) =>
      (read(terms) ?? 0) < 0 ? [{ path: `terms.${path}`, message: 'must not be negative' }] : [],
    ),
    ...emptyRangeViolations(terms),
    ...repeatViolations('terms.thresholds.excluded_sectors', terms.thresholds?.excludedSectors ?? []),
  ];
}

function emptyRangeViolations({ thresholds }: Terms): Violation[] {
  const { minimumFundingAmount: minimum, maximumFundingAmount: maximum } = thresholds ?? {};
  if (minimum === undefined || maximum === undefined || minimum <= maximum) return [];
  return [
    { path: 'terms.thresholds.maximum_funding_amount', message: 'must not be below minimum_funding_amount' },
  ];
}
