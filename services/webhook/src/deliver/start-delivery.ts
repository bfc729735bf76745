import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import type { Pool } from 'pg';
import type { Context } from '../context.ts';
import { guardedClient } from '../guarded-client/index.ts';
import type { Recovery } from '../store/endpoint-health.sql.ts';
import { settleAttempts } from '../store/settle-attempts.sql.ts';
import { type Delivery, type DeliveryQueue, logRecovery, startEngine } from './engine.ts';
import { attempts } from './make-attempt.ts';
import { measureAttempts, measureQueue } from './metrics.ts';
import { claimAttempts, findDueEndpoints, findLostAttempts, readQueue } from './queue.sql.ts';
import { DELIVERY_BOUNDS } from './turns.ts';

export type { Delivery } from './engine.ts';

type DeliveryOptions = Pick<Context, 'pool' | 'keyRing' | 'policy'> & {
  readonly extraCa: string | undefined;
};

/** Delivers recorded events until the process stops. */
export function startDelivery(process: ServiceProcess, options: DeliveryOptions): Delivery {
  const { pool, keyRing, policy, extraCa } = options;
  const client = guardedClient({ policy, extraCa, connectionsPerEndpoint: DELIVERY_BOUNDS.perEndpoint });
  const random = Math.random;
  const delivery = startEngine({
    queue: databaseQueue(pool, (recovery) => logRecovery(process.log, recovery)),
    attempt: attempts({ keyRing, client, random }),
    bounds: DELIVERY_BOUNDS,
    random,
    log: process.log,
    measures: measureAttempts(process.metrics),
    tidy: () => client.prune(),
  });
  measureQueue(process.metrics, () => readQueue(pool));
  process.onStop('delivery', async () => {
    await delivery.stop();
    client.close();
  });
  return delivery;
}

/** Returns the queue in PostgreSQL; `recovered` is called for endpoints that work again. */
export function databaseQueue(pool: Pool, recovered?: (recovery: Recovery) => void): DeliveryQueue {
  return {
    claim: (requests, leaseMs) => claimAttempts(pool, requests, leaseMs),
    settle: (outcomes) => settleAttempts(pool, outcomes, recovered),
    dueEndpoints: () => findDueEndpoints(pool),
    lostAttempts: (limit) => findLostAttempts(pool, limit),
  };
}
