import type { AccountId } from '@supplier/lib/text/ids';
import type { Caps, Terms, Thresholds } from '@supplier/proto/common/v1/principal';
import type { Timeline } from './loosened.ts';

declare const scheduledTermsId: unique symbol;
export type ScheduledTermsId = string & { readonly [scheduledTermsId]: true };

/** So many may wait for one account: more is a program that has lost its way. */
export const MAX_WAITING = 20;
const MAX_AHEAD_MS = 366 * 86_400_000;

/** Thresholds and caps that an account has from a time on. */
export interface ScheduledTerms {
  readonly id: ScheduledTermsId;
  readonly accountId: AccountId;
  readonly effectiveFrom: Date;
  readonly thresholds: Thresholds;
  readonly caps: Caps;
  readonly purpose: string;
  readonly createdAt: Date;
  /** When the account's row took them over; null before, which says nothing about whether they hold. */
  readonly appliedAt: Date | null;
  readonly cancelledAt: Date | null;
}

/** What a timeline needs of scheduled terms. */
export type Scheduled = Pick<ScheduledTerms, 'effectiveFrom' | 'thresholds' | 'caps'>;

/** Returns the terms of an account from `now` on: the present ones, then those that are scheduled, in any order. */
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

/** Tells whether scheduled terms are waiting, effective or cancelled at `now`. */
export function stateOf(
  { cancelledAt, effectiveFrom }: Pick<ScheduledTerms, 'cancelledAt' | 'effectiveFrom'>,
  now: Date,
): ScheduledTermsState {
  if (cancelledAt !== null) return 'cancelled';
  return effectiveFrom <= now ? 'effective' : 'waiting';
}

/** Tells what is wrong with the time from which terms are to hold; undefined when nothing is. */
export function whyNotFrom(effectiveFrom: Date, now: Date): string | undefined {
  if (effectiveFrom <= now) return 'must be in the future: UpdateAccount changes terms at once';
  if (effectiveFrom.getTime() - now.getTime() > MAX_AHEAD_MS) return 'must be at most 366 days away';
  return undefined;
}
