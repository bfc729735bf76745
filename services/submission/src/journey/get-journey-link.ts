import { toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { journeyLinkState } from '../model/journey-link.ts';
import { journeyLinkNotFound } from '../refusals.ts';
import { tokenDigests } from '../store/journey-link-row.ts';
import { findJourneyLinkByToken } from './find-journey-link.sql.ts';

/**
 * The kind, state and expiry of a journey link, without using it. A link of the other environment is unknown.
 * Implements docs/contract.md, section 11.
 */
export function getJourneyLink({ clock, db, keyRing }: Context): Rpcs['getJourneyLink'] {
  return async ({ token, environment }) => {
    const link = await findJourneyLinkByToken(db, tokenDigests(keyRing, token), environment);
    if (!link) throw journeyLinkNotFound();
    return {
      kind: link.kind,
      state: journeyLinkState(link, clock.now()),
      expiresAt: toTimestamp(link.expiresAt),
    };
  };
}
