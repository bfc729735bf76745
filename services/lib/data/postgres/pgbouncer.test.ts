import type pg from 'pg';
import {
  createTestDatabase,
  describeWithPgBouncer,
  startPgBouncer,
  startTestProcess,
  type TestDatabase,
  type TestPgBouncer,
  type TestProcess,
} from '../../testing/index.ts';
import { runMigrations } from '../migrations/index.ts';
import { databaseReadiness, enqueue, inTransaction, openPool, withCommandPool } from './index.ts';

describeWithPgBouncer('a pool behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let bouncer: TestPgBouncer;
  let service: TestProcess;
  let databaseUrl: string;

  beforeAll(async () => {
    database = await createTestDatabase({ schema: 'CREATE TABLE kept (id int PRIMARY KEY, by text)' });
    bouncer = await startPgBouncer(database.databaseUrl);
    databaseUrl = bouncer.address(database.databaseUrl);
    service = startTestProcess('test');
  });
  afterAll(async () => {
    await service.stop();
    await bouncer.close();
    await database.close();
  });

  const open = (databasePool = 1) => openPool({ databaseUrl, databasePool }, service);

  it('is not ready until the role has the settings, and names the statements that are missing', async () => {
    const isReady = databaseReadiness({ databaseUrl, databasePool: 1 }, service, { table: 'kept' });
    const refused = await isReady().then(String, (error: Error) => error.message);
    expect(refused).toContain(`SET statement_timeout = '4s';`);
    expect(refused).toContain(`SET enable_seqscan = 'off';`);
    await expect(open().query('SELECT 1')).rejects.toThrow('lacks settings');

    const { pathname } = new URL(database.databaseUrl);
    // For this database only: other tests use the same role.
    const here = `IN DATABASE ${pathname.slice(1)} SET`;
    for (const [statement] of refused.matchAll(/ALTER ROLE [^;]+;/g))
      await database.pool.query(statement.replace(' SET ', ` ${here} `));
    await bouncer.reconnect();
    await expect(isReady()).resolves.toBeUndefined();
  });

  it('repeats named statements over any of the server sessions', async () => {
    const pool = open(20);
    const statement = { name: 'put', text: 'INSERT INTO kept VALUES ($1, $2) RETURNING id' };
    const put = (id: number) => pool.query({ ...statement, values: [id, 'alone'] });
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: 20 }, (_, at) => put(round * 20 + at)));
    const { rows } = await pool.query({ name: 'count', text: 'SELECT count(*)::int AS count FROM kept' });
    expect(rows).toEqual([{ count: 60 }]);
  });

  it('keeps each transaction whole while others use the same sessions, and rolls back a failed one', async () => {
    const pool = open(20);
    const put = (id: number) => ({
      name: 'put',
      text: 'INSERT INTO kept VALUES ($1, $2)',
      values: [id, 'set'],
    });
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) =>
        inTransaction(pool, async (tx) => {
          const first = 1_000 + at * 2;
          enqueue(tx, put(first));
          // Every second transaction repeats the key, so none of its rows may stay.
          enqueue(tx, put(at % 2 === 0 ? first : first + 1));
        }),
      ),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    const { rows } = await pool.query(`SELECT count(*)::int AS count FROM kept WHERE by = 'set'`);
    expect(rows).toEqual([{ count: 20 }]);
  });

  it('has the role’s time limit for a statement, and UTC', async () => {
    const pool = open();
    const { rows } = await pool.query(
      `SELECT current_setting('statement_timeout') AS limit, current_setting('TimeZone') AS zone`,
    );
    expect(rows).toEqual([{ limit: '4s', zone: 'UTC' }]);
  });

  it('serves commands, and refuses migrations, which hold locks of a session', async () => {
    const count = (pool: pg.Pool) => pool.query({ name: 'count', text: 'SELECT count(*) FROM kept' });
    const counts = withCommandPool(databaseUrl, 'test', (pool) => Promise.all([count(pool), count(pool)]));
    await expect(counts).resolves.toHaveLength(2);
    const direct = 'must connect to PostgreSQL directly';
    const serviceDir = new URL('../../../account/', import.meta.url);
    await expect(runMigrations({ databaseUrl, serviceDir })).rejects.toThrow(direct);
  });
});
