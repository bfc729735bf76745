import type { Terms } from '@supplier/proto/common/v1/principal';

/** A violation of a request: the field by its contract name, and a message that repeats no value. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** Returns a violation for each item of `list` that repeats an earlier one; `path` is the path of the list. */
export function repeatViolations(path: string, list: readonly unknown[]): Violation[] {
  return list.flatMap((item, index) =>
    list.indexOf(item) < index ? [{ path: `${path}.${index}`, message: 'repeats an earlier item' }] : [],
  );
}

/** Fields of a requested credential that its account restricts. */
export interface RequestedCredential<Scope> {
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/**
 * Returns why a credential cannot be issued at `now`: scopes beyond the account's, or an expiry that is not in the
 * future. Empty when it can. Implements docs/contract.md, section 4.
 */
export function credentialViolations<Scope>(
  requested: RequestedCredential<Scope>,
  permitted: readonly Scope[],
  now: Date,
): Violation[] {
  const beyond = requested.scopes.flatMap((scope, index) =>
    permitted.includes(scope)
      ? []
      : [{ path: `scopes.${index}`, message: 'is not permitted for the account' }],
  );
  const ended = requested.expiresAt !== null && requested.expiresAt.getTime() <= now.getTime();
  return ended ? [...beyond, { path: 'expires_at', message: 'must be in the future' }] : beyond;
}

/** Amounts and counts that must not be negative; a cap of zero accepts nothing, which pauses an account. */
const NOT_NEGATIVE: Readonly<Record<string, (terms: Terms) => number | undefined>> = {
  'thresholds.minimum_funding_amount': (terms) => terms.thresholds?.minimumFundingAmount,
  'thresholds.maximum_funding_amount': (terms) => terms.thresholds?.maximumFundingAmount,
  'thresholds.minimum_annual_turnover_gbp': (terms) => terms.thresholds?.minimumAnnualTurnoverGbp,
  'caps.accepted_per_day': (terms) => terms.caps?.acceptedPerDay,
  'caps.accepted_per_month': (terms) => terms.caps?.acceptedPerMonth,
};

/**
 * Lists contradictions in `terms` beyond the contract's own rules, with paths below `terms`; empty when they are valid.
 */
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
