import type pg from 'pg';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';

const AHEAD_DAYS = 3;
const EVERY_MS = 3_600_000;
const RETRY_MS = 30_000;
/** A stream holds an event for its maximum age after the last publication: the inbox must remember it for longer. */
const INBOX_RESERVE_DAYS = 2;

/** For how long published events and inbox entries are kept. */
export interface Retention {
  readonly publishedDays: number;
  readonly inboxDays: number;
}

/**
 * The retention that follows from the settings, which are the same for the outboxes and streams that a service
 * consumes.
 */
export function retentionOf(publishedDays: number, maxAgeDays: number): Retention {
  return { publishedDays, inboxDays: publishedDays + maxAgeDays + INBOX_RESERVE_DAYS };
}

/**
 * Adds the partitions of coming days and drops expired ones, at once and every hour until the process stops. A table
 * that is in use is retried half a minute later.
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
