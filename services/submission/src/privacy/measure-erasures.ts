import { gaugesOf, type Registry } from '@supplier/lib/runtime/metrics';
import type { Clock } from '@supplier/lib/text/time';
import type pg from 'pg';
import { countErasures, type ErasureBacklog } from './erasures.sql.ts';

/**
 * Registers gauges of the submissions whose erasure is not complete, with those under legal hold counted separately;
 * without values while the database is unavailable.
 */
export function measureErasures(registry: Registry, pool: pg.Pool, clock: Clock): void {
  const backlog = gaugesOf(registry, () => countErasures(pool, clock.now()));
  const labelNames = ['state'];
  const byState = (kinds: readonly ErasureBacklog[], pick: (kind: ErasureBacklog) => number) =>
    kinds.map((kind) => [{ state: kind.held ? 'held' : 'in_progress' }, pick(kind)] as const);
  backlog(
    {
      name: 'sss_erasures_unfinished',
      help: 'Submissions with an incomplete erasure, counted up to 10,000.',
      labelNames,
    },
    (kinds) => byState(kinds, ({ count }) => count),
  );
  backlog(
    {
      name: 'sss_oldest_erasure_age_seconds',
      help: 'Time since the oldest incomplete erasure was requested; 0 if there is none.',
      labelNames,
    },
    (kinds) => byState(kinds, ({ oldestSeconds }) => oldestSeconds),
  );
}
