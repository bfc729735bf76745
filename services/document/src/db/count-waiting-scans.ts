import type { Database } from './database.ts';

/** Documents that have no scan result yet. */
export interface WaitingScans {
  /** Counted up to 100,000: counting a backlog must not add to it. */
  readonly count: number;
  /** Seconds since the oldest of them was finalized; 0 when there is none. */
  readonly oldestSeconds: number;
}

const MOST_COUNTED = 100_000;

/** How many documents wait for their scan at `now`, those that are being scanned included, and for how long. */
export async function countWaitingScans(db: Database, now: Date): Promise<WaitingScans> {
  const [row] = await db.$queryRaw<{ count: number; oldest: Date | null }[]>`
    SELECT count(*)::int AS "count", min("finalized_at") AS "oldest"
      FROM (SELECT "finalized_at" FROM "document"
             WHERE "scan_due_at" IS NOT NULL OR "scan_lease_until" IS NOT NULL LIMIT ${MOST_COUNTED}) AS "waiting"`;
  const ageMs = row?.oldest ? now.getTime() - row.oldest.getTime() : 0;
  return { count: row?.count ?? 0, oldestSeconds: Math.max(0, ageMs / 1_000) };
}
