import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type { Context, Rpcs } from '../context.ts';
import { findJourneyLinkByToken } from '../db/find-journey-link.ts';
import { tokenDigests } from '../db/journey-link-row.ts';
import { useJourneyLink } from '../db/use-journey-link.ts';
import { journeyLinkNotFound } from '../requests/refusals.ts';

/**
 * Uses a journey link up, once, however many calls come at the same time; the call that used it may be repeated. Where
 * the journey goes on is a setting of the pages, which must name it to the browser before the link is used. Implements
 * docs/contract.md, section 11.
 */
export function redeemJourneyLink({ clock, db, keyRing }: Context): Rpcs['redeemJourneyLink'] {
  return async ({ token, callId }) => {
    const digests = tokenDigests(keyRing, token);
    const used = await useJourneyLink(db, digests, clock.now(), callId ?? null);
    if (used) return { kind: used.kind };
    const link = await findJourneyLinkByToken(db, digests);
    if (!link) throw journeyLinkNotFound();
    const isRepeated = callId !== undefined && link.usedBy === callId.toLowerCase();
    if (isRepeated) return { kind: link.kind };
    throw refuse(RefusalCode.WRONG_STATE, 'This link does not work any more.');
  };
}
