import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import { enqueue, type SqlExecutor } from '@supplier/lib/postgres';
import type { PoolClient } from 'pg';
import type { EnvironmentName } from '../domain/environment.ts';

/**
 * Waits until nobody is changing when the endpoints of the changes are active, and until nobody else records a change of
 * their submissions. All locks are taken by one statement in ascending order, so that two replicas with the same changes
 * in other orders wait for each other and nothing more. Held to the end of the transaction; recordings of different
 * submissions do not wait for each other.
 */
export function lockForRecording(
  tx: PoolClient,
  changes: readonly { accountId: AccountId; environment: EnvironmentName; submissionId: SubmissionId }[],
): void {
  enqueue(tx, {
    name: 'lock-for-recording',
    text: `SELECT CASE WHEN "shared" THEN pg_advisory_xact_lock_shared("key") ELSE pg_advisory_xact_lock("key") END
             FROM (SELECT DISTINCT hashtextextended("name", 0) AS "key", "shared"
                     FROM (SELECT unnest($1::text[]), true UNION ALL SELECT unnest($2::text[]), false)
                       AS "l"("name", "shared")
                    ORDER BY "key", "shared") AS "keys"`,
    values: [
      changes.map(({ accountId, environment }) => activityKey(accountId, environment)),
      changes.map(({ submissionId }) => `submission ${submissionId}`),
    ],
  });
}

/**
 * Waits until nobody is recording a change of the account and environment, and keeps everybody from it to the end of
 * the transaction. A time read after this is later than that of every recording that did not see the change.
 */
export async function lockActivity(
  tx: SqlExecutor,
  accountId: AccountId,
  environment: EnvironmentName,
): Promise<void> {
  await tx.$executeRawUnsafe(
    `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`,
    activityKey(accountId, environment),
  );
}

function activityKey(accountId: AccountId, environment: EnvironmentName): string {
  return `activity ${accountId} ${environment}`;
}
