import { randomUUID } from 'node:crypto';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { journeyLinkState } from '../model/journey-link.ts';
import { journeyLinkNotFound } from '../refusals.ts';
import { tokenDigests } from '../store/journey-link-row.ts';
import { findJourneyLinkByToken, journeyCode, useJourneyCode, useJourneyLink } from './journey-links.sql.ts';

/**
 * Uses up a journey link. Of several concurrent calls one succeeds; that call may be repeated and gets the same code. A
 * link of the other environment is unknown. The pages listener configures where the journey continues and must tell the
 * browser before the link is used. Implements docs/contract.md, section 11.
 */
export function redeemJourneyLink({ clock, db, pool, keyRing }: Context): Rpcs['redeemJourneyLink'] {
  return async ({ token, environment, callId: stated }) => {
    const link = { tokenDigests: tokenDigests(keyRing, token), environment };
    const callId = (stated ?? randomUUID()).toLowerCase();
    const now = clock.now();
    const code = journeyCode(token, callId, now);
    const used = await useJourneyLink(pool, link, { now, callId, code });
    if (used) return { kind: used.kind, code: code.text };
    const found = await findJourneyLinkByToken(db, link.tokenDigests, environment);
    if (!found) throw journeyLinkNotFound();
    if (found.usedBy === callId) return { kind: found.kind, code: code.text };
    throw refuse(RefusalCode.WRONG_STATE, 'This link no longer works.');
  };
}

/**
 * Returns the submission whose journey continues, in exchange for the code from a used link. A code works once, within
 * 60 seconds, even for concurrent calls. Wrong, used and expired codes get the same refusal. Implements
 * docs/contract.md, section 11.
 */
export function exchangeJourneyCode({ clock, pool }: Context): Rpcs['exchangeJourneyCode'] {
  return async ({ code }) => {
    const owner = await useJourneyCode(pool, code, clock.now());
    if (!owner) {
      throw refuse(
        RefusalCode.NOT_FOUND,
        'This code is wrong, used or expired. A code works once, for 60 seconds.',
      );
    }
    return owner;
  };
}

/**
 * Returns the kind, state and expiry of a journey link, without using it. A link of the other environment is unknown.
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
