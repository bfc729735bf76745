import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { inTransaction } from './index.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'CREATE TABLE kept (n integer)' });
  pool = new pg.Pool({ connectionString: database.databaseUrl, max: 1 });
  pool.on('connect', (client) => client.on('error', () => {}));
});
beforeEach(() => pool.query('DELETE FROM kept'));
afterAll(async () => {
  await pool.end();
  await database.close();
});

const kept = async () => (await pool.query<{ n: number }>('SELECT n FROM kept')).rows.map(({ n }) => n);

describe('inTransaction', () => {
  it('keeps what the work did and answers what it answered', async () => {
    const answer = await inTransaction(pool, async (tx) => {
      await tx.query('INSERT INTO kept VALUES (1)');
      expect((await database.pool.query('SELECT n FROM kept')).rows).toEqual([]);
      return 'done';
    });
    expect(answer).toBe('done');
    expect(await kept()).toEqual([1]);
  });

  it('keeps nothing when the work throws, and throws the same error', async () => {
    const failure = new Error('no');
    const failed = inTransaction(pool, async (tx) => {
      await tx.query('INSERT INTO kept VALUES (1)');
      throw failure;
    });
    await expect(failed).rejects.toBe(failure);
    expect(await kept()).toEqual([]);
  });

  it('gives the connection back after a failed statement', async () => {
    const pid = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
    const before = await pid();
    await expect(inTransaction(pool, (tx) => tx.query('SELECT 1/0'))).rejects.toMatchObject({
      code: '22012',
    });
    expect(await pid()).toBe(before);
  });

  it('closes a connection that could not roll back, so that the next work gets a whole one', async () => {
    const hasty = new pg.Pool({ connectionString: database.databaseUrl, max: 1, query_timeout: 100 });
    hasty.on('connect', (client) => client.on('error', () => {}));
    // The server is still busy with the statement when the client has given up on it, and on the ROLLBACK after it.
    await expect(inTransaction(hasty, (tx) => tx.query('SELECT pg_sleep(2)'))).rejects.toThrow('timeout');
    expect(hasty.totalCount).toBe(0);
    expect((await hasty.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await hasty.end();
  });
});
