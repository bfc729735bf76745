import type { AccountId } from '@supplier/lib/text/ids';
import type { Caps, Terms, Thresholds } from '@supplier/proto/common/v1/principal';
import type { Timeline } from './loosened.ts';

declare const scheduledTermsId: unique symbol;
export type ScheduledTermsId = string & { readonly [scheduledTermsId]: true };

/** Maximum number of pending scheduled terms per account, as a guard against a runaway client. */
export const MAX_WAITING = 20;
const MAX_AHEAD_MS = 366 * 86_400_000;

/** Thresholds and caps that apply to an account from a given time. */
export interface ScheduledTerms {
  readonly id: ScheduledTermsId;
  readonly accountId: AccountId;
  readonly effectiveFrom: Date;
  readonly thresholds: Thresholds;
  readonly caps: Caps;
  readonly purpose: string;
  readonly createdAt: Date;
  /** When the account's row took the terms over; null until then, even if they already apply. */
  readonly appliedAt: Date | null;
  readonly cancelledAt: Date | null;
}

/** Fields of scheduled terms that a timeline needs. */
export type Scheduled = Pick<ScheduledTerms, 'effectiveFrom' | 'thresholds' | 'caps'>;

/**
 * Returns the timeline of an account from `now`: the current terms, then the scheduled ones. `scheduled` can be in any
 * order.
 */
export function timelineOf(
  present: Pick<Terms, 'thresholds' | 'caps'>,
  scheduled: readonly Scheduled[],
  now: Date,
): Timeline {
  const later = scheduled.map(({ effectiveFrom, ...terms }) => ({ effectiveFrom, terms }));
  return [
    { effectiveFrom: now, terms: present },
    ...later.sort((one, other) => one.effectiveFrom.getTime() - other.effectiveFrom.getTime()),
  ];
}

export type ScheduledTermsState = 'waiting' | 'effective' | 'cancelled';

/** Returns whether scheduled terms are waiting, effective or cancelled at `now`. */
export function stateOf(
  { cancelledAt, effectiveFrom }: Pick<ScheduledTerms, 'cancelledAt' | 'effectiveFrom'>,
  now: Date,
): ScheduledTermsState {
  if (cancelledAt !== null) return 'cancelled';
  return effectiveFrom <= now ? 'effective' : 'waiting';
}

/** Returns why terms cannot take effect at the given time; undefined when they can. */
export function whyNotFrom(effectiveFrom: Date, now: Date): string | undefined {
  if (effectiveFrom <= now) return 'must be in the future: use UpdateAccount to change terms immediately';
  if (effectiveFrom.getTime() - now.getTime() > MAX_AHEAD_MS) return 'must be at most 366 days away';
  return undefined;
}
