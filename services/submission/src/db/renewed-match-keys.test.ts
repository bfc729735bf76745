import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '@supplier/lib/postgres';
import pg from 'pg';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { countByRule, renewedTables } from './renewed-match-keys.ts';

/** For a connection, as the command waits 10 s. */
const CONNECTION_MS = 150;

let service: TestService;
let pool: pg.Pool;
beforeAll(async () => {
  service = await openTestService();
  const { rows } = await service.context.pool.query<{ name: string }>('SELECT current_database() AS name');
  const { href: connectionString } = Object.assign(new URL(process.env.TEST_POSTGRES_URL ?? ''), {
    pathname: rows[0]?.name,
  });
  // As the command has: one connection.
  pool = new pg.Pool({
    connectionString,
    max: 1,
    pipeline: true,
    connectionTimeoutMillis: CONNECTION_MS,
  });
});
afterAll(async () => {
  await pool?.end();
  await service?.close();
});

describe('match keys of large tables', () => {
  it('are counted, however long the count of one table takes', async () => {
    const tables = renewedTables(pool, service.context);
    const counts = await inTransaction(service.context.pool, async (tx) => {
      await tx.query('LOCK TABLE submission IN ACCESS EXCLUSIVE MODE');
      const counting = countByRule(tables).catch((error: Error) => error.message);
      await pause(2 * CONNECTION_MS);
      return { counting };
    });
    expect(await counts.counting).toEqual([
      { name: 'submission', current: 0, due: 0 },
      { name: 'promoted_keys', current: 0, due: 0 },
      { name: 'other_contact', current: 0, due: 0 },
    ]);
  });
});
