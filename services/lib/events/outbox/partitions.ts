import type pg from 'pg';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';

const AHEAD_DAYS = 3;
const EVERY_MS = 3_600_000;
const RETRY_MS = 30_000;
/** For clocks that differ, and partitions of whole days. */
const RESERVE_DAYS = 2;

/**
 * For how many days an event may be delivered again: it may be published again while it is kept, and a stream holds it
 * for its maximum age after that.
 */
export function repeatableDays(publishedDays: number, maxAgeDays: number): number {
  return publishedDays + maxAgeDays + RESERVE_DAYS;
}

/**
 * Adds the partitions of coming days and drops expired ones, at once and every hour until the process stops. A table
 * that is in use is retried half a minute later.
 */
export function startPartitions(process: ServiceProcess, pool: pg.Pool, keepDays: number): void {
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
      return await maintainPartitions(pool, keepDays);
    } catch (err) {
      process.log.warn({ err }, 'event partition maintenance failed');
      return false;
    }
  }
}

/** Does what the partitions need, a step at a time. Resolves to false when another transaction held them. */
export async function maintainPartitions(pool: pg.Pool, keepDays: number): Promise<boolean> {
  for (;;) {
    const { rows } = await pool.query<{ outcome: string }>(
      'SELECT maintain_event_partitions($1, $2) AS outcome',
      [keepDays, AHEAD_DAYS],
    );
    const outcome = rows[0]?.outcome;
    if (outcome !== 'changed') return outcome === 'done';
  }
}
