import { enqueue } from '@supplier/lib/data/postgres';
import type { AccountId } from '@supplier/lib/text/ids';
import type pg from 'pg';

/**
 * Holds the ledgers of accounts open until the transaction ends, shared with other transactions that enter lines: until
 * then no price is set and no month is closed. It is a statement of its own, since the next one sees what was committed
 * by then, and a statement that waits for a lock does not. Every transaction takes the locks in the same order.
 */
export function shareLedgers(tx: pg.PoolClient, accountIds: readonly AccountId[]): void {
  enqueue(tx, {
    name: 'share-ledgers',
    text: `SELECT pg_advisory_xact_lock_shared(key)
             FROM (SELECT DISTINCT ledger_lock_key(id) AS key FROM unnest($1::uuid[]) AS g(id) ORDER BY key) AS locks`,
    values: [[...new Set(accountIds)]],
  });
}

/** Has the ledger of an account alone until the transaction ends: nobody enters a line, and all that were are seen. */
export async function holdLedger(tx: pg.PoolClient, accountId: AccountId): Promise<void> {
  await tx.query({
    name: 'hold-ledger',
    text: 'SELECT pg_advisory_xact_lock(ledger_lock_key($1::uuid))',
    values: [accountId],
  });
}
