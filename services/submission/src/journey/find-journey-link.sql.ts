import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import type pg from 'pg';
import type { Transaction } from '../store/database.ts';
import type { JourneyLink } from '../store/generated/client.ts';
import type { JourneyLinkRow } from '../store/journey-link-row.ts';

/** Returns the latest link of one kind for a submission. */
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
