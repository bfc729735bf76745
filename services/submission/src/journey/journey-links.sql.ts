// SQL, because a link is used up by the first of several concurrent calls, and the latest link is read in transactions.
import { createHash, createHmac } from 'node:crypto';
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import type pg from 'pg';
import type { Transaction } from '../store/database.ts';
import type { JourneyLink } from '../store/generated/client.ts';
import type { JourneyLinkRow } from '../store/journey-link-row.ts';

export async function findLatestJourneyLink(
  sql: Pick<pg.Pool, 'query'>,
  submissionId: SubmissionId,
  kind: JourneyLinkKind,
): Promise<JourneyLinkRow | undefined> {
  const { rows } = await sql.query<JourneyLinkRow>({
    name: 'find-latest-journey-link',
    text: `SELECT id, number, token, expires_at, used_at, ended_at FROM journey_link
            WHERE submission_id = $1 AND kind = $2 ORDER BY number DESC LIMIT 1`,
    values: [submissionId, kind],
  });
  return rows[0];
}

/** Returns the link with this token in an environment, usable or not. */
export async function findJourneyLinkByToken(
  db: Pick<Transaction, 'journeyLink'>,
  tokenDigests: Uint8Array<ArrayBuffer>[],
  environment: Environment,
): Promise<Omit<JourneyLink, 'token' | 'tokenDigest' | 'codeDigest'> | undefined> {
  const row = await db.journeyLink.findFirst({
    where: { tokenDigest: { in: tokenDigests }, submission: { environment } },
    omit: { token: true, tokenDigest: true, codeDigest: true },
  });
  return row ?? undefined;
}

export interface UsedJourneyLink {
  readonly kind: JourneyLinkKind;
}

/**
 * Uses up a link of `environment` if it works at `now`, and stores the call and the digest of the code. Returns
 * undefined if the link does not work, or no longer works. In a single statement: of several concurrent calls, the
 * first gets the row and the others find it used.
 */
export async function useJourneyLink(
  pool: SqlSession,
  link: { readonly tokenDigests: Uint8Array<ArrayBuffer>[]; readonly environment: Environment },
  use: { readonly now: Date; readonly callId: string; readonly code: JourneyCode },
): Promise<UsedJourneyLink | undefined> {
  const { now, callId, code } = use;
  const { rows } = await pool.query<UsedJourneyLink>({
    name: 'use-journey-link',
    text: `UPDATE journey_link l
              SET used_at = $3, used_by = $4, code_digest = $5, code_expires_at = $6
             FROM submission s
            WHERE s.id = l.submission_id AND s.environment = $1 AND l.token_digest = ANY($2::bytea[])
              AND l.used_at IS NULL AND l.ended_at IS NULL AND l.expires_at > $3
           RETURNING l.kind`,
    values: [link.environment, link.tokenDigests, now, callId, codeDigest(code.text), code.expiresAt],
  });
  return rows[0];
}

/** The submission whose journey a code continues. */
export interface JourneyOwner extends UsedJourneyLink {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/**
 * Uses up a code if it works at `now`; otherwise returns undefined. Of several concurrent calls, only the first
 * succeeds.
 */
export async function useJourneyCode(
  pool: SqlSession,
  code: string,
  now: Date,
): Promise<JourneyOwner | undefined> {
  const { rows } = await pool.query<JourneyOwner>({
    name: 'use-journey-code',
    text: `UPDATE journey_link l SET code_used_at = $2
             FROM submission s
            WHERE s.id = l.submission_id AND l.code_digest = $1
              AND l.code_used_at IS NULL AND l.code_expires_at > $2
           RETURNING l.submission_id AS "submissionId", s.account_id AS "accountId", s.environment, l.kind`,
    values: [codeDigest(code), now],
  });
  return rows[0];
}

/** A code has 256 random bits, so an unkeyed digest reveals nothing. */
const codeDigest = (code: string) => new Uint8Array(createHash('sha256').update(code).digest());

/** Long enough for a browser on a slow connection to follow one redirect. */
const JOURNEY_CODE_MS = 60_000;

/** The code from a used link, which the journey application exchanges once. A bearer secret. */
interface JourneyCode {
  readonly text: string;
  readonly expiresAt: Date;
}

/**
 * Returns the code for a link used at `now`, which works for 60 seconds. It is derived from the token and the call that
 * used the link, so a call repeated after a lost response gets the code that is already stored, whichever came first.
 * Only the caller knows both: the holder of a link does not know the call id.
 */
export function journeyCode(token: string, callId: string, now: Date): JourneyCode {
  return {
    text: createHmac('sha256', token).update(`journey-code:${callId}`).digest('base64url'),
    expiresAt: new Date(now.getTime() + JOURNEY_CODE_MS),
  };
}
