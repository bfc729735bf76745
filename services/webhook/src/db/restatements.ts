import type { SubmissionId } from '@supplier/lib/ids';
import type { Pool } from 'pg';
import { NOW } from './database.ts';

/** Longer than any reconciliation looks back. */
const KEPT = "interval '30 days'";

/** Which of the submissions reconciliation has had restated within `withinMs`. */
export async function findRestated(
  pool: Pool,
  submissionIds: readonly SubmissionId[],
  withinMs: number,
): Promise<ReadonlySet<SubmissionId>> {
  if (submissionIds.length === 0) return new Set();
  const { rows } = await pool.query<{ submission_id: string }>(
    `SELECT "submission_id" FROM "restatement"
      WHERE "submission_id" = ANY($1::uuid[]) AND "restated_at" > ${NOW} - $2 * interval '1 millisecond'`,
    [submissionIds, withinMs],
  );
  return new Set(rows.map((row) => row.submission_id as SubmissionId));
}

/** Notes that reconciliation has had the submission restated, and forgets what it did a month ago. */
export async function noteRestated(pool: Pool, submissionId: SubmissionId): Promise<void> {
  await pool.query(
    `WITH "old" AS (DELETE FROM "restatement" WHERE "restated_at" < ${NOW} - ${KEPT} AND "submission_id" <> $1::uuid)
     INSERT INTO "restatement" ("submission_id", "restated_at") VALUES ($1::uuid, ${NOW})
     ON CONFLICT ("submission_id") DO UPDATE SET "restated_at" = excluded."restated_at"`,
    [submissionId],
  );
}
