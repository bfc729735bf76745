import { create } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  type ScheduledTerms as ScheduledTermsMessage,
  ScheduledTermsSchema,
  ScheduledTermsState as State,
  type TermsLoosening,
  TermsLooseningSchema,
} from '@supplier/proto/account/v1/scheduled_terms';
import type { Loosening } from './loosened.ts';
import { type ScheduledTerms, type ScheduledTermsState, stateOf } from './scheduled-terms.ts';

const STATES: Readonly<Record<ScheduledTermsState, State>> = {
  waiting: State.WAITING,
  effective: State.EFFECTIVE,
  cancelled: State.CANCELLED,
};

/** Scheduled terms as callers see them at `now`. */
export function scheduledTermsMessage(terms: ScheduledTerms, now: Date): ScheduledTermsMessage {
  return create(ScheduledTermsSchema, {
    scheduledTermsId: terms.id,
    accountId: terms.accountId,
    effectiveFrom: toTimestamp(terms.effectiveFrom),
    state: STATES[stateOf(terms, now)],
    thresholds: terms.thresholds,
    caps: terms.caps,
    purpose: terms.purpose,
    createdAt: toTimestamp(terms.createdAt),
    ...(terms.cancelledAt && { cancelledAt: toTimestamp(terms.cancelledAt) }),
  });
}

/** Times at which terms are loosened, as callers see them. */
export function loosenedLaterMessage(loosenings: readonly Loosening[]): TermsLoosening[] {
  return loosenings.map(({ from, names }) =>
    create(TermsLooseningSchema, { effectiveFrom: toTimestamp(from), names: [...names] }),
  );
}
