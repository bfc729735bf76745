import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type pg from 'pg';
import { type Admission, accountKey, admit, type Quotas } from '../model/admission.ts';
import { countDocuments, insertReserved, lockUsage, type Reservation } from './reservation.sql.ts';

/** Reserves a document, or resolves to why not, and stores nothing. */
export type ReserveDocument = (document: Reservation) => Promise<Admission>;

const MAX_GROUP = 64;
const MAX_QUEUE = 2_000;
/** Two groups at once: while one waits for its commit, the next is being sent. */
const LANES = 2;

/**
 * Reserves documents within the quotas of their accounts and references, exactly, however many arrive at once. All that
 * arrive while a transaction commits share the next one, so that a busy account neither queues behind its own lock nor
 * takes every connection. Beyond 2,000 in the queue, requests are refused as SERVICE_UNAVAILABLE.
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
    // The lock first: counts taken under it include everything that was admitted before.
    const bytes = await lockUsage(client, accountsOf(group));
    const references = await countDocuments(client, group);
    const admissions = admit(group, { bytes, ...references }, quotas);
    const reserved = group.filter((_, index) => admissions[index] === 'reserved');
    if (reserved.length > 0) await insertReserved(client, reserved);
    await client.query(reserved.length > 0 ? 'COMMIT' : 'ROLLBACK');
    return admissions;
  } catch (error) {
    // The state of the connection is unknown: the pool replaces it, and the server rolls back.
    broken = error instanceof Error ? error : new Error('reservation failed', { cause: error });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Each account once, in the order in which every transaction locks them: two groups cannot deadlock. */
function accountsOf(group: readonly Reservation[]): Reservation[] {
  const accounts = new Map(group.map((document) => [accountKey(document), document]));
  return [...accounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, document]) => document);
}
