import { setTimeout as delay } from 'node:timers/promises';
import { explained, openPool } from '@supplier/lib/data/postgres';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { inProcessLimiter } from './in-process-limiter.ts';
import type { CheckLimit } from './limit.ts';
import { SharedLimiter } from './shared-limiter.ts';

/** One for the checks and one for the maintenance. */
const CONNECTIONS = 2;
const MAINTENANCE_MS = 1_000;

/**
 * The limiter of this process: over all gateways where a store is set, else by itself, which the log then says. Waits
 * for nothing: until the store has answered once, the process limits by itself.
 */
export function openLimits(
  process: ServiceProcess,
  databaseUrl: string | undefined,
  metrics: Pick<GatewayMetrics, 'limiterFallbacks' | 'limitsShared'>,
): CheckLimit {
  if (databaseUrl === undefined) {
    process.log.warn('limits store not configured; limiting per process');
    return inProcessLimiter();
  }
  const pool = openPool({ databaseUrl, databasePool: CONNECTIONS }, process, { purpose: 'limits' });
  const limiter = new SharedLimiter({
    ...{ pool, log: process.log, metrics },
    explain: (error) => explained(error, databaseUrl).message,
  });
  const maintenance = maintain(limiter, process.stopping);
  process.onStop('limits maintenance', () => maintenance);
  return limiter.check;
}

async function maintain(limiter: SharedLimiter, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await limiter.maintain();
    await delay(MAINTENANCE_MS, undefined, { signal: stopping }).catch(() => {});
  }
}
