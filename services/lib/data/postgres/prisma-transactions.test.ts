import type { Pool } from 'pg';
import { prismaTransactions } from './index.ts';

/** A client whose transactions are numbered; what it was given is remembered. */
class TestClient {
  readonly limits: unknown[] = [];
  async $transaction<Result>(work: (tx: number) => Promise<Result>, limits: unknown): Promise<Result> {
    this.limits.push(limits);
    return work(this.limits.length);
  }
}

const { openDatabase, inTransaction } = prismaTransactions<TestClient, number>(() => new TestClient());
const pool = {} as Pool;

describe('transactions through Prisma', () => {
  it('answer what the work answered, and call what follows a commit once for each', async () => {
    let commits = 0;
    const db = openDatabase(pool, () => {
      commits += 1;
    });
    expect(await inTransaction(db, async (tx) => `transaction ${tx}`)).toBe('transaction 1');
    expect(commits).toBe(1);
    await inTransaction(db, async () => {});
    expect(commits).toBe(2);
  });

  it('call nothing when the work throws, and throw the same error', async () => {
    let commits = 0;
    const failure = new Error('no');
    const db = openDatabase(pool, () => {
      commits += 1;
    });
    await expect(inTransaction(db, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(commits).toBe(0);
  });

  it('wait two seconds for a connection and last five at most', async () => {
    const db = openDatabase(pool);
    await inTransaction(db, async () => {});
    expect(db.limits).toEqual([{ maxWait: 2_000, timeout: 5_000 }]);
  });

  it('of one database do not call what belongs to another', async () => {
    const called: string[] = [];
    const [one, other] = ['one', 'other'].map((name) => openDatabase(pool, () => called.push(name)));
    if (one) await inTransaction(one, async () => {});
    expect(called).toEqual(['one']);
    if (other) await inTransaction(other, async () => {});
    expect(called).toEqual(['one', 'other']);
  });
});
