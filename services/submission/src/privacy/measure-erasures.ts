import { Gauge, type Registry, reading } from '@supplier/lib/runtime/metrics';
import type { Clock } from '@supplier/lib/text/time';
import type pg from 'pg';
import { countErasures, type ErasureBacklog } from './erasures.sql.ts';

const READING = { everyMs: 5_000, withinMs: 1_500 };

/**
 * Registers gauges of the submissions whose erasure is not complete, with those under legal hold counted separately;
 * without values while the database is unavailable.
 */
export function measureErasures(registry: Registry, pool: pg.Pool, clock: Clock): void {
  const backlog = reading(() => countErasures(pool, clock.now()), READING);
  gauge(
    'sss_erasures_unfinished',
    'Submissions whose erasure is not complete, counted up to 10,000.',
    ({ count }) => count,
  );
  gauge(
    'sss_oldest_erasure_age_seconds',
    'How long ago the oldest incomplete erasure was requested; 0 when there is none.',
    ({ oldestSeconds }) => oldestSeconds,
  );

  function gauge(name: string, help: string, pick: (kind: ErasureBacklog) => number): void {
    new Gauge({
      name,
      help,
      labelNames: ['state'] as const,
      registers: [registry],
      async collect() {
        this.reset();
        for (const kind of (await backlog()) ?? [])
          this.set({ state: kind.held ? 'held' : 'in_progress' }, pick(kind));
      },
    });
  }
}
