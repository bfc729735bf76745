import { Pool, type PoolClient } from 'pg';
import { prismaTransactions } from './index.ts';

interface TestTransaction {
  readonly number: number;
}

/** A client that numbers its transactions, takes a connection for each and records their limits. */
class TestClient {
  readonly limits: unknown[] = [];
  readonly pool: Pool;
  constructor(pool: Pool) {
    this.pool = pool;
  }
  async $transaction<Result>(
    work: (tx: TestTransaction) => Promise<Result>,
    limits: unknown,
  ): Promise<Result> {
    this.limits.push(limits);
    const number = this.limits.length;
    await this.pool.connect();
    return work({ number });
  }
}

const { openDatabase, inTransaction } = prismaTransactions<TestClient, TestTransaction>(
  (pool) => new TestClient(pool),
);

/** A pool whose connections answer each statement with their own number. */
function numberedPool(): Pool {
  let opened = 0;
  return Object.assign(new Pool(), {
    async connect() {
      opened += 1;
      const number = opened;
      // Every second connection takes longer, so that transactions get theirs out of order.
      if (number % 2 === 1) await new Promise(setImmediate);
      return { query: async () => ({ rows: [{ number }] }) } as unknown as PoolClient;
    },
  });
}

const pool = numberedPool();

describe('prismaTransactions', () => {
  it('returns the result of the work and calls onCommit once per transaction', async () => {
    let commits = 0;
    const db = openDatabase(pool, () => {
      commits += 1;
    });
    expect(await inTransaction(db, async ({ number }) => `transaction ${number}`)).toBe('transaction 1');
    expect(commits).toBe(1);
    await inTransaction(db, async () => {});
    expect(commits).toBe(2);
  });

  it('sends SQL over the connection of its own transaction', async () => {
    const db = openDatabase(numberedPool());
    const connectionsOf = await Promise.all(
      [1, 2, 3, 4].map(() =>
        inTransaction(db, async (tx) => {
          // A connection taken meanwhile is not the transaction's.
          await db.pool.connect();
          const { rows } = await tx.query<{ number: number }>('SELECT 1');
          return { transaction: tx.number, connection: rows[0]?.number };
        }),
      ),
    );
    expect(connectionsOf).toEqual(
      [1, 2, 3, 4].map((number) => ({ transaction: number, connection: number })),
    );
  });

  it('skips onCommit when the work throws, and rethrows the same error', async () => {
    let commits = 0;
    const failure = new Error('no');
    const db = openDatabase(pool, () => {
      commits += 1;
    });
    await expect(inTransaction(db, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(commits).toBe(0);
  });

  it('waits 2 seconds for a connection and limits a transaction to 5 seconds', async () => {
    const db = openDatabase(pool);
    await inTransaction(db, async () => {});
    expect(db.limits).toEqual([{ maxWait: 2_000, timeout: 5_000 }]);
  });

  it('does not call the onCommit of another database', async () => {
    const called: string[] = [];
    const [one, other] = ['one', 'other'].map((name) => openDatabase(pool, () => called.push(name)));
    if (one) await inTransaction(one, async () => {});
    expect(called).toEqual(['one']);
    if (other) await inTransaction(other, async () => {});
    expect(called).toEqual(['one', 'other']);
  });
});
