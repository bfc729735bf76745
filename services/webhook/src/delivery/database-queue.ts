import type { Pool } from 'pg';
import { claimAttempts } from '../db/claim-attempts.ts';
import type { Recovery } from '../db/endpoint-health.ts';
import { findDueEndpoints } from '../db/find-due-endpoints.ts';
import { findLostAttempts } from '../db/find-lost-attempts.ts';
import { settleAttempts } from '../db/settle-attempts.ts';
import type { DeliveryQueue } from './engine.ts';

/** The queue in PostgreSQL; `recovered` is called for endpoints that work again. */
export function databaseQueue(pool: Pool, recovered?: (recovery: Recovery) => void): DeliveryQueue {
  return {
    claim: (requests, leaseMs) => claimAttempts(pool, requests, leaseMs),
    settle: (outcomes) => settleAttempts(pool, outcomes, recovered),
    dueEndpoints: () => findDueEndpoints(pool),
    lostAttempts: (limit) => findLostAttempts(pool, limit),
  };
}
