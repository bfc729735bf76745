import type { Pool } from 'pg';
import { prismaTransactions } from './index.ts';

/** A client that numbers its transactions and records their limits. */
class TestClient {
  readonly limits: unknown[] = [];
  async $transaction<Result>(work: (tx: number) => Promise<Result>, limits: unknown): Promise<Result> {
    this.limits.push(limits);
    return work(this.limits.length);
  }
}

const { openDatabase, inTransaction } = prismaTransactions<TestClient, number>(() => new TestClient());
const pool = {} as Pool;

describe('prismaTransactions', () => {
  it('returns the result of the work and calls onCommit once per transaction', async () => {
    let commits = 0;
    const db = openDatabase(pool, () => {
      commits += 1;
    });
    expect(await inTransaction(db, async (tx) => `transaction ${tx}`)).toBe('transaction 1');
    expect(commits).toBe(1);
    await inTransaction(db, async () => {});
    expect(commits).toBe(2);
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
