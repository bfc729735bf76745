import { databasesAt } from '../databases.ts';

/** A moment that a cluster can be restored to. */
export interface Moment {
  /** As PostgreSQL takes it, by its clock. */
  readonly text: string;
  /** Before it and after it by the clock of those who send, in milliseconds since 1970. */
  readonly earliest: number;
  readonly latest: number;
}

/** The moment now: everything that was answered before this call is before it, everything sent later after it. */
export async function momentNow(superuserUrl: string): Promise<Moment> {
  const earliest = Date.now();
  const sql = 'SELECT clock_timestamp()::text AS now';
  const [row] = await databasesAt(superuserUrl).rows<{ now: string }>('postgres', sql);
  if (!row) throw new Error('PostgreSQL does not say what time it is');
  return { text: row.now, earliest, latest: Date.now() };
}
