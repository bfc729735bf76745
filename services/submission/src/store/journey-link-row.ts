import type { KeyRing } from '@supplier/lib/data/crypto';
import { type ColumnMap, columnMap } from '@supplier/lib/data/postgres';
import { JourneyLinkState } from '@supplier/proto/submission/v1/journey_links';
import { tokenAad } from '../model/associated-data.ts';
import { journeyLinkState, type NewJourneyLink, type OpenJourneyLink } from '../model/journey-link.ts';

export interface JourneyLinkRow {
  readonly id: string;
  readonly number: number;
  readonly token: Buffer;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly ended_at: Date | null;
}

/** Returns digests that find a link with any key of the ring. They do not reveal the token. */
export const tokenDigests = (keyRing: KeyRing, token: string) => keyRing.digests(TOKEN_PURPOSE, token);

/** Returns the digest for finding a new link. */
export const tokenDigest = (keyRing: KeyRing, token: string | Uint8Array) =>
  keyRing.digest(TOKEN_PURPOSE, token);

const TOKEN_PURPOSE = 'journey-link';

/** Returns the columns of a new link, with its token sealed. */
export function linkColumns(keyRing: KeyRing): ColumnMap<NewJourneyLink> {
  return columnMap<NewJourneyLink>({
    id: ['uuid', ({ id }) => id],
    submission_id: ['uuid', ({ submissionId }) => submissionId],
    kind: ['smallint', ({ kind }) => kind],
    number: ['integer', ({ number }) => number],
    token_digest: ['bytea', ({ token }) => tokenDigest(keyRing, token)],
    token_digest_key: ['text', () => keyRing.digestKeyId],
    token: ['bytea', ({ id, token }) => keyRing.seal(Buffer.from(token), tokenAad(id))],
    created_at: ['timestamptz', ({ createdAt }) => createdAt],
    expires_at: ['timestamptz', ({ expiresAt }) => expiresAt],
  });
}

/** Reports whether the link of a row works at `now`. The token of a link that does not work may have been erased. */
export function isUsable({ expires_at, used_at, ended_at }: JourneyLinkRow, now: Date): boolean {
  const facts = { expiresAt: expires_at, usedAt: used_at, endedAt: ended_at };
  return journeyLinkState(facts, now) === JourneyLinkState.USABLE;
}

/** Opens the token of a row. Throws if it has been erased. */
export function openJourneyLink(row: JourneyLinkRow, keyRing: KeyRing): OpenJourneyLink {
  return {
    token: Buffer.from(keyRing.open(row.token, tokenAad(row.id))).toString(),
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    endedAt: row.ended_at,
  };
}
