import { randomBytes } from 'node:crypto';
import type { KeyRing } from '@supplier/lib/crypto';
import { newId, type SubmissionId } from '@supplier/lib/ids';
import type { JourneyLinkKind } from '@supplier/proto/submission/v1/submission';
import { JOURNEY_TOKEN_BYTES, type JourneyLinkFacts } from '../domain/journey-link.ts';
import type { JourneyLink } from './generated/client.ts';

/** Where the sealed token of a link lies. */
const tokenPlace = (id: string) => ({ table: 'journey_link', column: 'token', row: id });

/** What a link is found by: nothing that opens it. */
export const tokenDigest = (keyRing: KeyRing, token: string) => keyRing.digest('journey-link', token);

/** A link with its token opened, which is a bearer secret. */
export interface OpenJourneyLink extends JourneyLinkFacts {
  readonly token: string;
}

/** A link that is to be recorded. */
export interface NewJourneyLink extends OpenJourneyLink {
  readonly row: Pick<
    JourneyLink,
    'id' | 'submissionId' | 'kind' | 'number' | 'tokenDigest' | 'token' | 'createdAt' | 'expiresAt'
  >;
}

/** A fresh link: the `number`th of its kind, which works for `hours` from `now`. */
export function newJourneyLink(
  keyRing: KeyRing,
  facts: { submissionId: SubmissionId; kind: JourneyLinkKind; number: number; now: Date; hours: number },
): NewJourneyLink {
  const { submissionId, kind, number, now, hours } = facts;
  const id = newId();
  const token = randomBytes(JOURNEY_TOKEN_BYTES).toString('base64url');
  const expiresAt = new Date(now.getTime() + hours * 3_600_000);
  const sealed = keyRing.seal(Buffer.from(token), tokenPlace(id));
  return {
    token,
    expiresAt,
    usedAt: null,
    endedAt: null,
    row: {
      id,
      submissionId,
      kind,
      number,
      tokenDigest: tokenDigest(keyRing, token),
      token: sealed,
      createdAt: now,
      expiresAt,
    },
  };
}

/** Opens the token of a row. */
export function openJourneyLink(row: JourneyLink, keyRing: KeyRing): OpenJourneyLink {
  const { id, token, expiresAt, usedAt, endedAt } = row;
  return { token: Buffer.from(keyRing.open(token, tokenPlace(id))).toString(), expiresAt, usedAt, endedAt };
}
