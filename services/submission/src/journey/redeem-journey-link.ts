import { randomUUID } from 'node:crypto';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { journeyLinkState } from '../model/journey-link.ts';
import { journeyLinkNotFound } from '../refusals.ts';
import { tokenDigests } from '../store/journey-link-row.ts';
import { findJourneyLinkByToken } from './find-journey-link.sql.ts';
import { journeyCode, useJourneyCode, useJourneyLink } from './use-journey-link.sql.ts';

/**
 * Uses a journey link up, once, however many calls come at the same time; the call that used it may be repeated, and
 * gets the same code. A link of the other environment is unknown. Where the journey continues is a setting of the pages
 * listener, which must tell the browser before the link is used. Implements docs/contract.md, section 11.
 */
export function redeemJourneyLink({ clock, db, keyRing }: Context): Rpcs['redeemJourneyLink'] {
  return async ({ token, environment, callId: stated }) => {
    const link = { tokenDigests: tokenDigests(keyRing, token), environment };
    const callId = (stated ?? randomUUID()).toLowerCase();
    const now = clock.now();
    const code = journeyCode(token, callId, now);
    const used = await useJourneyLink(db, link, { now, callId, code });
    if (used) return { kind: used.kind, code: code.text };
    const found = await findJourneyLinkByToken(db, link.tokenDigests, environment);
    if (!found) throw journeyLinkNotFound();
    if (found.usedBy === callId) return { kind: found.kind, code: code.text };
    throw refuse(RefusalCode.WRONG_STATE, 'This link does not work any more.');
  };
}

/**
 * The submission whose journey continues, for the code that a used link gave out: once, within 60 seconds, however many
 * calls come at the same time. A wrong, used or expired code gets the same refusal. Implements docs/contract.md,
 * section 11.
 */
export function exchangeJourneyCode({ clock, db }: Context): Rpcs['exchangeJourneyCode'] {
  return async ({ code }) => {
    const owner = await useJourneyCode(db, code, clock.now());
    if (!owner) {
      throw refuse(RefusalCode.NOT_FOUND, 'This code does not work: a code works once, for 60 seconds.');
    }
    return owner;
  };
}

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
