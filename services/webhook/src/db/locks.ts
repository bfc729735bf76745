import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type { SqlExecutor } from '@supplier/lib/postgres';
import type { EnvironmentName } from '../domain/environment.ts';

/**
 * Waits until nobody is changing when the endpoint is active, and until nobody else records a change of the submission.
 * Held to the end of the transaction; recordings of different submissions do not wait for each other.
 */
export async function lockForRecording(
  tx: SqlExecutor,
  change: { accountId: AccountId; environment: EnvironmentName; submissionId: SubmissionId },
): Promise<void> {
  await tx.$executeRawUnsafe(
    `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0)), pg_advisory_xact_lock(hashtextextended($2, 0))`,
    activityKey(change.accountId, change.environment),
    `submission ${change.submissionId}`,
  );
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
