import type pg from 'pg';
import type { ServiceProcess } from '../service-runtime/index.ts';
import { wakeable } from '../wakeable/index.ts';

const AHEAD_DAYS = 3;
const EVERY_MS = 3_600_000;
const RETRY_MS = 30_000;
/** A stream may hold an event for its age after it was published for the last time: the inbox knows it for longer. */
const INBOX_RESERVE_DAYS = 2;

/** For how long events and the notes of their application are kept. */
export interface Retention {
  readonly publishedDays: number;
  readonly inboxDays: number;
}

/** The days that follow from those of the outboxes and streams that a service consumes, which are those of its own. */
export function retentionOf(publishedDays: number, maxAgeDays: number): Retention {
  return { publishedDays, inboxDays: publishedDays + maxAgeDays + INBOX_RESERVE_DAYS };
}

/**
 * Adds the partitions of coming days and drops those that are past their time, at once and every hour until the process
 * stops. A table that is in use is tried again half a minute later.
 */
export function startPartitions(process: ServiceProcess, pool: pg.Pool, retention: Retention): void {
  const sleeper = wakeable(process.stopping);
  const done = run();
  process.onStop('event partitions', () => done);

  async function run(): Promise<void> {
    while (!process.stopping.aborted) {
      await sleeper.sleep((await attempt()) ? EVERY_MS : RETRY_MS);
    }
  }

  async function attempt(): Promise<boolean> {
    try {
      return await maintainPartitions(pool, retention);
    } catch (err) {
      process.log.warn({ err }, 'event partition maintenance failed');
      return false;
    }
  }
}

/** Does what the partitions need, a step at a time. Resolves to false when another transaction held them. */
export async function maintainPartitions(
  pool: pg.Pool,
  { publishedDays, inboxDays }: Retention,
): Promise<boolean> {
  for (;;) {
    const { rows } = await pool.query<{ outcome: string }>(
      'SELECT maintain_event_partitions($1, $2, $3) AS outcome',
      [publishedDays, inboxDays, AHEAD_DAYS],
    );
    const outcome = rows[0]?.outcome;
    if (outcome !== 'changed') return outcome === 'done';
  }
}
