import { setTimeout as delay } from 'node:timers/promises';
import { openPool } from '@supplier/lib/postgres';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { inProcessLimiter } from './in-process-limiter.ts';
import type { CheckLimit } from './limit.ts';
import { SharedLimiter } from './shared-limiter.ts';

/** One for the checks and one for the upkeep. */
const CONNECTIONS = 2;
const UPKEEP_MS = 1_000;

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
    process.log.warn('no limits store is set: this process limits by itself');
    const check = inProcessLimiter();
    return check;
  }
  const pool = openPool({ databaseUrl, databasePool: CONNECTIONS }, process);
  const limiter = new SharedLimiter({ pool, log: process.log, metrics });
  const upkeep = keepUp(limiter, process.stopping);
  process.onStop('limits upkeep', () => upkeep);
  return limiter.check;
}

async function keepUp(limiter: SharedLimiter, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await limiter.upkeep();
    await delay(UPKEEP_MS, undefined, { signal: stopping }).catch(() => {});
  }
}
