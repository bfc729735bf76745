import { toTimestamp } from '@supplier/lib/time';
import type { Context, Rpcs } from '../context.ts';
import { findJourneyLinkByToken } from '../db/find-journey-link.ts';
import { tokenDigests } from '../db/journey-link-row.ts';
import { journeyLinkState } from '../domain/journey-link.ts';
import { journeyLinkNotFound } from '../requests/refusals.ts';

/** What a journey link stands for; looking uses nothing up. Implements docs/contract.md, section 11. */
export function getJourneyLink({ clock, db, keyRing }: Context): Rpcs['getJourneyLink'] {
  return async ({ token }) => {
    const link = await findJourneyLinkByToken(db, tokenDigests(keyRing, token));
    if (!link) throw journeyLinkNotFound();
    return {
      kind: link.kind,
      state: journeyLinkState(link, clock.now()),
      expiresAt: toTimestamp(link.expiresAt),
    };
  };
}
