import { setTimeout as delay } from 'node:timers/promises';
import { explained, openPool } from '@supplier/lib/data/postgres';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { inProcessLimiter } from './in-process-limiter.ts';
import type { CheckLimit } from './limit.ts';
import { SharedLimiter } from './shared-limiter.ts';

/** One for checks and one for maintenance. */
const CONNECTIONS = 2;
const MAINTENANCE_MS = 1_000;

/**
 * Opens the limiter of this process: shared by all gateways if a store is configured, otherwise per process, which is
 * logged. Does not wait: until the store has responded once, the process limits on its own.
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
