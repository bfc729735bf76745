import type pg from 'pg';
import { type Registry, sharedGauge } from '../../runtime/metrics/index.ts';

/** Reports the busy, idle and maximum connections of a pool and the number of waiting callers. */
export function measurePool(registry: Registry, purpose: string, pool: pg.Pool): void {
  sharedGauge(
    registry,
    {
      name: 'sss_database_pool_connections',
      help: 'Connections to PostgreSQL, by pool: busy or idle.',
      labelNames: ['pool', 'state'] as const,
    },
    () => [
      [{ pool: purpose, state: 'busy' }, pool.totalCount - pool.idleCount],
      [{ pool: purpose, state: 'idle' }, pool.idleCount],
    ],
  );
  sharedGauge(
    registry,
    {
      name: 'sss_database_pool_max_connections',
      help: 'Connections to PostgreSQL that a pool may open.',
      labelNames: ['pool'] as const,
    },
    () => [[{ pool: purpose }, pool.options.max]],
  );
  sharedGauge(
    registry,
    {
      name: 'sss_database_pool_waiting_callers',
      help: 'Callers waiting for a connection from a pool.',
      labelNames: ['pool'] as const,
    },
    () => [[{ pool: purpose }, pool.waitingCount]],
  );
}
