import { randomInt } from 'node:crypto';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { newApplicationReference } from '../domain/application-reference.ts';
import { newJourneyLink } from '../domain/journey-link.ts';
import type { Making } from '../domain/transitions.ts';

/** What transitions of this moment are made with. */
export function makingOf({
  clock,
  config,
  preUnderwritingPolicy,
}: Pick<Context, 'clock' | 'config' | 'preUnderwritingPolicy'>): Making {
  const now = clock.now();
  return {
    now,
    preUnderwritingPolicy,
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
