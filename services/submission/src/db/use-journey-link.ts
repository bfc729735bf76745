import type { SubmissionId } from '@supplier/lib/ids';
import type { JourneyLinkKind } from '@supplier/proto/submission/v1/submission';
import type { Transaction } from './database.ts';

export interface UsedJourneyLink {
  readonly submissionId: SubmissionId;
  readonly kind: JourneyLinkKind;
}

/**
 * Uses a link up if it works at `now`, and remembers by which call; undefined when it does not work, or no longer. One
 * statement: of any number at once, the first has the row and the others find it used.
 */
export async function useJourneyLink(
  db: Pick<Transaction, '$queryRaw'>,
  tokenDigests: Uint8Array<ArrayBuffer>[],
  now: Date,
  callId: string | null,
): Promise<UsedJourneyLink | undefined> {
  const [used] = await db.$queryRaw<UsedJourneyLink[]>`
    UPDATE journey_link SET used_at = ${now}, used_by = ${callId}::uuid
    WHERE token_digest = ANY(${tokenDigests}) AND used_at IS NULL AND ended_at IS NULL AND expires_at > ${now}
    RETURNING submission_id AS "submissionId", kind`;
  return used;
}
