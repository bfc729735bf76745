import type { Pool } from 'pg';
import { claimAttempts } from '../db/claim-attempts.ts';
import { findDueEndpoints } from '../db/find-due-endpoints.ts';
import { findLostAttempts } from '../db/find-lost-attempts.ts';
import { settleAttempts } from '../db/settle-attempts.ts';
import type { DeliveryQueue } from './engine.ts';

/** The queue in PostgreSQL. */
export function databaseQueue(pool: Pool): DeliveryQueue {
  return {
    claim: (asks, now, leaseUntil) => claimAttempts(pool, asks, now, leaseUntil),
    settle: (outcomes) => settleAttempts(pool, outcomes),
    dueEndpoints: (now) => findDueEndpoints(pool, now),
    lostAttempts: (now, limit) => findLostAttempts(pool, now, limit),
  };
}
