import { randomInt } from 'node:crypto';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import type { Context } from '../context.ts';
import { newJourneyLink } from '../model/journey-link.ts';
import type { TransitionInputs } from '../model/transitions.ts';

/** Returns the inputs, besides the lead, of a transition that happens now. */
export function transitionInputs({
  clock,
  config,
  policies,
}: Pick<Context, 'clock' | 'config' | 'policies'>): TransitionInputs {
  const now = clock.now();
  return {
    now,
    preUnderwritingPolicy: policies.preUnderwriting,
    returnWindowDays: config.returnWindowDays,
    newReference: () => newApplicationReference(randomInt),
    newHandoff: ({ id }) =>
      newJourneyLink({
        submissionId: id,
        kind: JourneyLinkKind.HANDOFF,
        number: 1,
        now,
        hours: config.handoffLinkHours,
      }),
  };
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 10;

/**
 * Returns `APP-` and ten Crockford base32 characters: 50 random bits from `random`, which returns whole numbers below
 * its bound.
 */
export function newApplicationReference(random: (bound: number) => number): string {
  return `APP-${Array.from({ length: LENGTH }, () => CROCKFORD.charAt(random(CROCKFORD.length))).join('')}`;
}
