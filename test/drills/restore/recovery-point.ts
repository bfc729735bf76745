import { databasesAt } from '../databases.ts';

/** A point in time that a cluster can be restored to. */
export interface RecoveryPoint {
  /** In PostgreSQL's format, by its clock. */
  readonly text: string;
  /** Bounds by the senders' clock, in milliseconds since 1970. */
  readonly earliest: number;
  readonly latest: number;
}

/** Returns the current moment: every response before this call is before it, everything sent later is after it. */
export async function recoveryPointNow(superuserUrl: string): Promise<RecoveryPoint> {
  const earliest = Date.now();
  const sql = 'SELECT clock_timestamp()::text AS now';
  const [row] = await databasesAt(superuserUrl).rows<{ now: string }>('postgres', sql);
  if (!row) throw new Error('PostgreSQL did not return its time');
  return { text: row.now, earliest, latest: Date.now() };
}
