import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/index.ts';
import { enqueue, inTransaction } from './index.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'CREATE TABLE kept (n integer)' });
  pool = new pg.Pool({ connectionString: database.databaseUrl, max: 1, pipeline: true });
  pool.on('connect', (client) => client.on('error', () => {}));
});
beforeEach(() => pool.query('DELETE FROM kept'));
afterAll(async () => {
  await pool.end();
  await database.close();
});

const kept = async () => (await pool.query<{ n: number }>('SELECT n FROM kept')).rows.map(({ n }) => n);

describe('inTransaction', () => {
  it('commits the work and returns its result', async () => {
    const answer = await inTransaction(pool, async (tx) => {
      await tx.query('INSERT INTO kept VALUES (1)');
      expect((await database.pool.query('SELECT n FROM kept')).rows).toEqual([]);
      return 'done';
    });
    expect(answer).toBe('done');
    expect(await kept()).toEqual([1]);
  });

  it('rolls back when the work throws, and rethrows the same error', async () => {
    const failure = new Error('no');
    const failed = inTransaction(pool, async (tx) => {
      await tx.query('INSERT INTO kept VALUES (1)');
      throw failure;
    });
    await expect(failed).rejects.toBe(failure);
    expect(await kept()).toEqual([]);
  });

  it('returns the connection to the pool after a failed statement', async () => {
    const pid = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
    const before = await pid();
    await expect(inTransaction(pool, (tx) => tx.query('SELECT 1/0'))).rejects.toMatchObject({
      code: '22012',
    });
    expect(await pid()).toBe(before);
  });

  it('closes a connection that could not roll back, so that the next caller gets a working one', async () => {
    const hasty = new pg.Pool({
      connectionString: database.databaseUrl,
      max: 1,
      pipeline: true,
      query_timeout: 100,
    });
    hasty.on('connect', (client) => client.on('error', () => {}));
    // The server is still running the statement after the client has timed out on it and on the ROLLBACK.
    await expect(inTransaction(hasty, (tx) => tx.query('SELECT pg_sleep(2)'))).rejects.toThrow('timeout');
    expect(hasty.totalCount).toBe(0);
    expect((await hasty.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await hasty.end();
  });
});

describe('enqueue', () => {
  const insert = (n: number) => ({ text: 'INSERT INTO kept VALUES ($1)', values: [n] });

  it('runs statements in order, before later ones, and commits them', async () => {
    const seen = await inTransaction(pool, async (tx) => {
      enqueue(tx, insert(1));
      enqueue(tx, { text: 'UPDATE kept SET n = n + 1' });
      const { rows } = await tx.query<{ n: number }>('SELECT n FROM kept');
      enqueue(tx, insert(3));
      return rows;
    });
    expect(seen).toEqual([{ n: 2 }]);
    expect(await kept()).toEqual([2, 3]);
  });

  it.each([
    ['the last statement', async () => {}],
    ['a statement before another', (tx: pg.PoolClient) => tx.query('SELECT 1')],
  ])('fails the transaction with the error of the enqueued statement: %s', async (_, then) => {
    const failing = inTransaction(pool, async (tx) => {
      enqueue(tx, insert(1));
      enqueue(tx, { text: 'SELECT 1/0' });
      await then(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await kept()).toEqual([]);
    await inTransaction(pool, async (tx) => enqueue(tx, insert(4)));
    expect(await kept()).toEqual([4]);
  });

  it('rejects statements outside a transaction', async () => {
    const client = await pool.connect();
    expect(() => enqueue(client, insert(1))).toThrow('only be enqueued in a transaction');
    client.release();
  });

  it('throws if the work hides a failed statement, because nothing is committed', async () => {
    const hiding = inTransaction(pool, async (tx) => {
      await tx.query('SELECT 1/0').catch(() => {});
    });
    await expect(hiding).rejects.toThrow('transaction rolled back');
  });
});

describe('transaction with a statement that never reaches the server', () => {
  const insert = (n: number) => ({ text: 'INSERT INTO kept VALUES ($1)', values: [n] });
  const refusedByDriver = new Error('no text for this value');
  const unsendable = {
    toPostgres() {
      throw refusedByDriver;
    },
  };
  const named = (text: string, values: unknown[] = [], name = 'a name') => ({ name, text, values });

  it.each<[string, (tx: pg.PoolClient) => unknown]>([
    ['enqueued', (tx) => enqueue(tx, { text: 'INSERT INTO kept VALUES ($1)', values: [unsendable] })],
    ['enqueued under a name', (tx) => enqueue(tx, named('INSERT INTO kept VALUES ($1)', [unsendable]))],
    ['awaited', (tx) => tx.query('INSERT INTO kept VALUES ($1)', [unsendable])],
    [
      'awaited, with its failure hidden',
      (tx) => tx.query('INSERT INTO kept VALUES ($1)', [unsendable]).catch(() => {}),
    ],
  ])('rolls back and throws the driver error for a value that cannot be serialised: %s', async (_, send) => {
    const failing = inTransaction(pool, async (tx) => {
      enqueue(tx, insert(1));
      await send(tx);
      enqueue(tx, insert(2));
    });
    await expect(failing).rejects.toBe(refusedByDriver);
    expect(await kept()).toEqual([]);
  });

  it.each(['last', 'before another'])(
    'rolls back if one name is used for two statements: %s',
    async (place) => {
      const failing = inTransaction(pool, async (tx) => {
        await tx.query(named('INSERT INTO kept VALUES (1)', [], `twice, ${place}`));
        enqueue(tx, named('INSERT INTO kept VALUES (2)', [], `twice, ${place}`));
        if (place === 'before another') enqueue(tx, insert(3));
      });
      await expect(failing).rejects.toThrow('was used for a different statement');
      expect(await kept()).toEqual([]);
    },
  );

  it('closes a connection on which the driver knows a statement that the server does not', async () => {
    const work = (value: unknown) =>
      inTransaction(pool, async (tx) => {
        await tx.query(named('INSERT INTO kept VALUES ($1)', [value]));
      });
    await expect(work(unsendable)).rejects.toBe(refusedByDriver);
    await work(7);
    expect(await kept()).toEqual([7]);
  });
});

describe('transaction whose BEGIN fails', () => {
  it('sends nothing, commits nothing and throws the cause', async () => {
    const cancelled = 'SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)';
    const unlucky = new pg.Pool({ connectionString: database.databaseUrl, max: 1, pipeline: true });
    const texts: unknown[] = [];
    // Replaces BEGIN, because its cancellation cannot be timed from outside.
    unlucky.on('connect', (client) => {
      const query = client.query.bind(client) as (...statement: unknown[]) => unknown;
      const send = (...[text, ...rest]: unknown[]) => {
        texts.push(text);
        const isBegin = text === 'BEGIN' || (text as { text?: string }).text === 'BEGIN';
        return query(isBegin ? cancelled : text, ...rest);
      };
      Object.assign(client, { query: send });
    });
    const failing = inTransaction(unlucky, async (tx) => {
      enqueue(tx, { text: 'INSERT INTO kept VALUES (1)' });
    });
    await expect(failing).rejects.toMatchObject({ code: '57014' });
    expect(await kept()).toEqual([]);
    expect(texts).not.toContain('COMMIT');
    await unlucky.end();
  });
});
