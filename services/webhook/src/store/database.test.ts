import { isUnavailable } from '@supplier/lib/data/postgres';
import { eventually, forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EndpointId, newId } from '@supplier/lib/text/ids';
import { openTestService, START } from '../../testing/test-service.ts';
import { inTransaction } from './database.ts';
import { insertEndpoint } from './endpoints.ts';

const service = forAllTests(() => openTestService());

describe('transaction that is rolled back because it lasts too long', () => {
  it('runs no further statement of the operation in progress', async () => {
    const holder = await service.pool.connect();
    // Without the constraint, an orphaned row could be inserted and would be visible.
    await holder.query('ALTER TABLE endpoint_activity DROP CONSTRAINT endpoint_activity_endpoint_id_fkey');
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE endpoint IN SHARE MODE');
    const creating = inTransaction(service.db, (tx) =>
      insertEndpoint(tx, {
        endpointId: newId<EndpointId>(),
        accountId: newId<AccountId>(),
        environment: 'sandbox',
        url: 'https://receiver.test/',
        sealedSecret: Buffer.alloc(64),
        keyFingerprint: '00000000',
        createdAt: START,
      }),
    ).catch((error: unknown) => error);
    await eventually('the insert waits', async () => (await waiting()) === 1);
    // After five seconds the rollback waits behind the insert.
    await holder.query('SELECT pg_sleep(5.5)');
    await holder.query('ROLLBACK');
    holder.release();
    expect(isUnavailable(await creating)).toBe(true);
    expect(await service.db.endpoint.count()).toBe(0);
    expect(await service.db.endpointActivity.count()).toBe(0);
  }, 60_000);
});

/** Returns the number of statements that wait for a lock. */
async function waiting(): Promise<number> {
  const { rowCount } = await service.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}
