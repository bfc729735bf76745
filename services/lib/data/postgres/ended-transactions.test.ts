import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/index.ts';
import { isUnavailable, withoutStatementsAfterEnd } from './index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema: 'CREATE TABLE item (id int)' });
});
afterAll(() => database?.close());

const run = (client: pg.PoolClient, text: string) => client.query({ text });

describe('withoutStatementsAfterEnd', () => {
  it.each(['COMMIT', 'ROLLBACK'])('rejects statements after %s, even before it completes', async (end) => {
    const pool = withoutStatementsAfterEnd(database.pool);
    expect(pool).toBeInstanceOf(pg.Pool);
    const client = await pool.connect();
    await run(client, 'BEGIN');
    const ending = run(client, end);
    const late = run(client, 'INSERT INTO item VALUES (1)').catch((error: unknown) => error);
    await ending;
    expect(isUnavailable(await late)).toBe(true);
    client.release();
    await expect(run(client, 'INSERT INTO item VALUES (2)')).rejects.toThrow('the transaction has ended');
    expect((await database.pool.query('SELECT FROM item')).rowCount).toBe(0);
  });

  it('accepts statements after a savepoint rollback and in the next transaction', async () => {
    const pool = withoutStatementsAfterEnd(database.pool);
    for (let round = 1; round <= 2; round += 1) {
      const client = await pool.connect();
      for (const text of ['BEGIN', 'SAVEPOINT one', 'ROLLBACK TO SAVEPOINT one', 'SELECT 1', 'COMMIT'])
        await run(client, text);
      client.release();
    }
    expect((await pool.query('SELECT 1')).rowCount).toBe(1);
  });
});
