import type { Caps } from '@supplier/proto/common/v1/principal';
import type { Transaction } from './database.ts';
import type { Submission } from './generated/client.ts';

/** Accepted so far in the UTC day and month of `now`, each counted no further than its cap. */
export interface AcceptedCounts {
  readonly acceptedToday: number;
  readonly acceptedThisMonth: number;
}

/**
 * Counts what the account has had accepted, if it has caps. Decisions of a capped account happen one at a time from
 * here to the end of the transaction: a cap is exact however many arrive at once.
 */
export async function countAccepted(
  tx: Transaction,
  row: Pick<Submission, 'accountId' | 'environment'>,
  caps: Caps | undefined,
  now: Date,
): Promise<AcceptedCounts> {
  const { acceptedPerDay, acceptedPerMonth } = caps ?? {};
  if (acceptedPerDay === undefined && acceptedPerMonth === undefined) {
    return { acceptedToday: 0, acceptedThisMonth: 0 };
  }
  const lock = `cap/${row.accountId}/${row.environment}`;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`;
  const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const count = async (since: Date, most: number | undefined) => {
    if (most === undefined) return 0;
    const [result] = await tx.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM (
        SELECT 1 FROM submission WHERE account_id = ${row.accountId}::uuid AND environment = ${row.environment}
          AND status IN (2, 5) AND decided_at >= ${since} LIMIT ${most}) AS accepted`;
    return result?.count ?? 0;
  };
  return {
    acceptedToday: await count(day, acceptedPerDay),
    acceptedThisMonth: await count(month, acceptedPerMonth),
  };
}
