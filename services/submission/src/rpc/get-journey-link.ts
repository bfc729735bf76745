import { create } from '@bufbuild/protobuf';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { toTimestamp } from '@supplier/lib/time';
import {
  type GetJourneyLinkRequest,
  type JourneyLink,
  JourneyLinkSchema,
} from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { findJourneyLinkByToken } from '../db/find-journey-link.ts';
import { tokenDigest } from '../db/journey-link-row.ts';
import { journeyLinkState } from '../domain/journey-link.ts';
import type { Rpc } from './rpc.ts';

/** What a journey link stands for; looking uses nothing up. Implements docs/contract.md, section 11. */
export function getJourneyLink({ clock, db, keyRing }: Context): Rpc<GetJourneyLinkRequest, JourneyLink> {
  return async ({ token }) => {
    const link = await findJourneyLinkByToken(db, tokenDigest(keyRing, token));
    if (!link) throw journeyLinkNotFound();
    return create(JourneyLinkSchema, {
      kind: link.kind,
      state: journeyLinkState(link, clock.now()),
      expiresAt: toTimestamp(link.expiresAt),
    });
  };
}

export function journeyLinkNotFound() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such link.');
}
