import type { Pool } from 'pg';
import { claimAttempts } from '../db/claim-attempts.ts';
import type { Recovery } from '../db/endpoint-health.ts';
import { findDueEndpoints } from '../db/find-due-endpoints.ts';
import { findLostAttempts } from '../db/find-lost-attempts.ts';
import { settleAttempts } from '../db/settle-attempts.ts';
import type { DeliveryQueue } from './engine.ts';

/** The queue in PostgreSQL; `recovered` is told of endpoints that work again. */
export function databaseQueue(pool: Pool, recovered?: (recovery: Recovery) => void): DeliveryQueue {
  return {
    claim: (asks, now, leaseUntil) => claimAttempts(pool, asks, now, leaseUntil),
    settle: (outcomes) => settleAttempts(pool, outcomes, recovered),
    dueEndpoints: (now) => findDueEndpoints(pool, now),
    lostAttempts: (now, limit) => findLostAttempts(pool, now, limit),
  };
}
