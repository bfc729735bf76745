import { createHash, createHmac } from 'node:crypto';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import type { Transaction } from '../store/database.ts';

export interface UsedJourneyLink {
  readonly kind: JourneyLinkKind;
}

/**
 * Uses a link of `environment` up if it works at `now`, and remembers the call and the digest of the code that it gives
 * out; undefined when it does not work, or no longer. One statement: of any number at once, the first gets the row and
 * the others find it used.
 */
export async function useJourneyLink(
  db: Pick<Transaction, '$queryRaw'>,
  link: { readonly tokenDigests: Uint8Array<ArrayBuffer>[]; readonly environment: Environment },
  use: { readonly now: Date; readonly callId: string; readonly code: JourneyCode },
): Promise<UsedJourneyLink | undefined> {
  const { now, callId, code } = use;
  const [used] = await db.$queryRaw<UsedJourneyLink[]>`
    UPDATE journey_link l
       SET used_at = ${now}, used_by = ${callId}::uuid,
           code_digest = ${codeDigest(code.text)}, code_expires_at = ${code.expiresAt}
      FROM submission s
     WHERE s.id = l.submission_id AND s.environment = ${link.environment}
       AND l.token_digest = ANY(${link.tokenDigests})
       AND l.used_at IS NULL AND l.ended_at IS NULL AND l.expires_at > ${now}
    RETURNING l.kind`;
  return used;
}

/** Whose journey a code has begun. */
export interface JourneyOwner extends UsedJourneyLink {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/** Uses a code up if it works at `now`; undefined for every other. Of any number at once, only the first gets it. */
export async function useJourneyCode(
  db: Pick<Transaction, '$queryRaw'>,
  code: string,
  now: Date,
): Promise<JourneyOwner | undefined> {
  const [owner] = await db.$queryRaw<JourneyOwner[]>`
    UPDATE journey_link l SET code_used_at = ${now}
      FROM submission s
     WHERE s.id = l.submission_id AND l.code_digest = ${codeDigest(code)}
       AND l.code_used_at IS NULL AND l.code_expires_at > ${now}
    RETURNING l.submission_id AS "submissionId", s.account_id AS "accountId", s.environment, l.kind`;
  return owner;
}

/** A code has 256 random bits, so a plain digest of it reveals nothing. */
const codeDigest = (code: string) => new Uint8Array(createHash('sha256').update(code).digest());

/** Long enough for a browser on a slow line to follow one redirect. */
const JOURNEY_CODE_MS = 60_000;

/** The code that a used link gives out, for the journey application to exchange once. A bearer secret. */
interface JourneyCode {
  readonly text: string;
  readonly expiresAt: Date;
}

/**
 * The code that the use of a link at `now` gives out, which works for 60 seconds. It follows from the token and the
 * call that used the link, so that the same call, repeated because its answer was lost, gets the code that is already
 * stored, whichever of the two came first. Nobody else knows both: the holder of a link does not know the call.
 */
export function journeyCode(token: string, callId: string, now: Date): JourneyCode {
  return {
    text: createHmac('sha256', token).update(`journey-code:${callId}`).digest('base64url'),
    expiresAt: new Date(now.getTime() + JOURNEY_CODE_MS),
  };
}
