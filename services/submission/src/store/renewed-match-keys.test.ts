import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '@supplier/lib/data/postgres';
import { forAllTests } from '@supplier/lib/testing';
import pg from 'pg';
import { openTestService } from '../../testing/test-service.ts';
import { countByRule, renewedTables } from './renewed-match-keys.sql.ts';

/** Connection timeout; the command waits 10 s. */
const CONNECTION_MS = 150;

let pool: pg.Pool;
afterAll(() => pool?.end());
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  const { rows } = await service.context.pool.query<{ name: string }>('SELECT current_database() AS name');
  const { href: connectionString } = Object.assign(new URL(process.env.TEST_POSTGRES_URL ?? ''), {
    pathname: rows[0]?.name,
  });
  // A single connection, like the command.
  pool = new pg.Pool({
    connectionString,
    max: 1,
    pipeline: true,
    connectionTimeoutMillis: CONNECTION_MS,
  });
});

describe('match keys of large tables', () => {
  it('are counted even when the count of one table takes long', async () => {
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

describe('rows whose match keys are due', () => {
  it('are locked by their ids, without searching the other rows', async () => {
    const { id } = await service.submitUndecided();
    const { pool: own, matchRule } = service.context;
    await own.query(
      `INSERT INTO submission (id, account_id, environment, external_reference, level, status, awaits_staff, received_at,
                               billing_model, billing_status, not_billable_reason, changed_at, version, terms, enquiry,
                               match_rule)
       SELECT gen_random_uuid(), account_id, environment, 'other ' || n, level, status, awaits_staff, received_at,
              billing_model, billing_status, not_billable_reason, changed_at, version, terms, enquiry, $2
         FROM submission, generate_series(1, 2000) AS n WHERE id = $1`,
      [id, matchRule.id],
    );
    await own.query(`UPDATE submission SET match_rule = '1' WHERE id = $1`, [id]);
    const locking: { text: string; values: unknown[] }[] = [];
    const watched = watchedPool((text, values) => {
      if (text.includes('FOR NO KEY UPDATE')) locking.push({ text, values });
    });
    try {
      const done: number[] = [];
      const renewal = { renewed: (count: number) => void done.push(count), failed: () => {} };
      for (const table of renewedTables(watched, service.context)) await table.renew(renewal);
      expect(done).toEqual([1]);
    } finally {
      await watched.end();
    }
    expect(locking.length).toBeGreaterThan(0);
    for (const { text, values } of locking)
      await inTransaction(own, async (tx) => {
        await tx.query('SET LOCAL enable_seqscan = off');
        await tx.query('SET LOCAL enable_bitmapscan = off');
        const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN (ANALYZE, COSTS OFF) ${text}`,
          values,
        );
        const plan = rows.map((line) => line['QUERY PLAN']).join('\n');
        const removed = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, count]) =>
          Number(count),
        );
        expect(Math.max(0, ...removed)).toBeLessThan(10);
      });
  });
});

/** Creates a pool on the same database that reports each statement before it is sent. */
function watchedPool(sent: (text: string, values: unknown[]) => void): pg.Pool {
  const watched = new pg.Pool({ ...pool.options, connectionTimeoutMillis: 10_000 });
  watched.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((...given: unknown[]) => {
      const [first, second] = given;
      const { text, values } =
        typeof first === 'string' ? { text: first, values: second } : (first as pg.QueryConfig);
      sent(text, (values ?? []) as unknown[]);
      return query(...given);
    }) as typeof client.query;
  });
  return watched;
}
