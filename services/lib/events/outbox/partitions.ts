import type pg from 'pg';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { startSweepers } from '../../runtime/sweepers/index.ts';

const AHEAD_DAYS = 3;
const EVERY_MS = 3_600_000;
const RETRY_MS = 30_000;

/** Adds coming partitions and drops expired ones, hourly; retries sooner if a table is in use. */
export function startPartitions(process: ServiceProcess, pool: pg.Pool, keepDays: number): void {
  const maintenance = {
    found: 'event partitions maintained',
    everyMs: EVERY_MS,
    retryMs: RETRY_MS,
    async run() {
      const isDone = await maintainPartitions(pool, keepDays);
      return { count: 0, more: false, pauseMs: isDone ? EVERY_MS : RETRY_MS };
    },
  };
  startSweepers(process, [maintenance], undefined, 'event partitions');
}

/** Maintains the partitions step by step. Resolves to false if another transaction locked them. */
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
