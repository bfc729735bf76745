import { inTransaction } from '@supplier/lib/data/postgres';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type pg from 'pg';
import { type Admission, accountKey, admit, type Quotas } from '../model/admission.ts';
import { countDocuments, insertReserved, lockUsage, type Reservation } from './reserve-documents.sql.ts';

/** Reserves a document, or resolves to why it was refused and stores nothing. */
export type ReserveDocument = (document: Reservation) => Promise<Admission>;

const MAX_GROUP = 64;
const MAX_QUEUE = 2_000;
/** Two concurrent groups: while one waits for its commit, the next is being sent. */
const LANES = 2;

/**
 * Reserves documents within the quotas of their accounts and references, exactly, even with concurrent requests. All
 * requests that arrive while a transaction commits share the next one, so that a busy account neither queues behind its
 * own lock nor uses every connection. Beyond 2,000 in the queue, requests are refused as SERVICE_UNAVAILABLE.
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

function reserveGroup(pool: pg.Pool, group: Reservation[], quotas: Quotas): Promise<Admission[]> {
  return inTransaction(pool, async (tx) => {
    // Locks first: counts taken under the lock include everything admitted earlier.
    const bytes = await lockUsage(tx, accountsOf(group));
    const references = await countDocuments(tx, group);
    const admissions = admit(group, { bytes, ...references }, quotas);
    const reserved = group.filter((_, index) => admissions[index] === 'reserved');
    if (reserved.length > 0) insertReserved(tx, reserved);
    return admissions;
  });
}

/**
 * Returns each account once, in the order in which every transaction locks them, so that two groups cannot deadlock.
 */
function accountsOf(group: readonly Reservation[]): Reservation[] {
  const accounts = new Map(group.map((document) => [accountKey(document), document]));
  return [...accounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, document]) => document);
}
