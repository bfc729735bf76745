// SQL, because Prisma has no advisory locks.
import { enqueue, type SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { PoolClient } from 'pg';
import type { EnvironmentName } from '../model/event.ts';

/**
 * Takes the shared locks on activity of the changes' endpoints and the exclusive locks of their submissions until the
 * end of the transaction. One statement takes all locks in ascending order: replicas with the same changes in different
 * orders wait for each other and never deadlock. Recordings of different submissions do not wait for each other.
 */
export function lockForRecording(
  tx: PoolClient,
  changes: readonly { accountId: AccountId; environment: EnvironmentName; submissionId: SubmissionId }[],
): void {
  enqueue(tx, {
    name: 'lock-for-recording',
    text: `SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(key) ELSE pg_advisory_xact_lock(key) END
             FROM (SELECT DISTINCT hashtextextended(name, 0) AS key, shared
                     FROM (SELECT unnest($1::text[]), true UNION ALL SELECT unnest($2::text[]), false)
                       AS l(name, shared)
                    ORDER BY key, shared) AS keys`,
    values: [
      changes.map(({ accountId, environment }) => activityKey(accountId, environment)),
      changes.map(({ submissionId }) => `submission ${submissionId}`),
    ],
  });
}

/** Takes the exclusive lock of a submission until the end of the transaction: no change of it is recorded meanwhile. */
export function lockSubmission(tx: PoolClient, submissionId: SubmissionId): void {
  enqueue(tx, {
    text: `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`,
    values: [`submission ${submissionId}`],
  });
}

/**
 * Takes the exclusive lock on activity of the account and environment until the end of the transaction: no change of
 * theirs is recorded meanwhile. A time read after this is later than that of every recording that did not see the
 * change.
 */
export async function lockActivity(
  tx: SqlSession,
  accountId: AccountId,
  environment: EnvironmentName,
): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    activityKey(accountId, environment),
  ]);
}

function activityKey(accountId: AccountId, environment: EnvironmentName): string {
  return `activity ${accountId} ${environment}`;
}
