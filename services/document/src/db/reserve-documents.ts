import { groupCommit } from '@supplier/lib/group-commit';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type pg from 'pg';
import { type Admission, accountKey, admit, type Quotas } from '../domain/admission.ts';
import type { Reservation } from './reservation.ts';
import { countDocuments, insertReserved, lockUsage } from './reservation-statements.ts';

/** Reserves a document, or resolves to the quota that is used up; nothing is kept then. */
export type ReserveDocument = (document: Reservation) => Promise<Admission>;

const MAX_GROUP = 64;
const MAX_QUEUE = 2_000;
/** Two groups at once: while one waits for its commit, the next is being sent. */
const LANES = 2;

/**
 * Makes the reservation of documents against the quotas of their accounts and references: exact however many arrive at
 * once, in one transaction for all that arrive while an earlier one commits, so that one busy account neither waits in
 * line with itself nor takes every connection. A request that finds 2,000 waiting is refused as unavailable.
 */
export function reserveDocuments(pool: pg.Pool, quotas: Quotas): ReserveDocument {
  return groupCommit({
    maxGroup: MAX_GROUP,
    maxQueue: MAX_QUEUE,
    lanes: LANES,
    flush: (group: Reservation[]) => reserveGroup(pool, group, quotas),
    overloaded: () => refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.'),
  });
}

async function reserveGroup(pool: pg.Pool, group: Reservation[], quotas: Quotas): Promise<Admission[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    // In this order: what is counted under the lock is all that was admitted before.
    const bytes = await lockUsage(client, accountsOf(group));
    const documents = await countDocuments(client, group);
    const admissions = admit(group, { bytes, documents }, quotas);
    const reserved = group.filter((_, index) => admissions[index] === 'reserved');
    if (reserved.length > 0) await insertReserved(client, reserved);
    await client.query(reserved.length > 0 ? 'COMMIT' : 'ROLLBACK');
    return admissions;
  } catch (error) {
    // What state its connection is in is anybody's guess: the pool opens another, and the server rolls back.
    broken = error instanceof Error ? error : new Error('a reservation failed', { cause: error });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Each account once, in the order in which everybody locks them: two groups never wait for each other. */
function accountsOf(group: readonly Reservation[]): Reservation[] {
  const accounts = new Map(group.map((document) => [accountKey(document), document]));
  return [...accounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, document]) => document);
}
