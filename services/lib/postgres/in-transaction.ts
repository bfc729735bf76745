import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` in one transaction on one connection of the pool: all of it is kept, or none of it when it throws; what it
 * threw is thrown on. Waits for a connection as long as the pool allows.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  const tx = await pool.connect();
  let broken: Error | undefined;
  try {
    await tx.query('BEGIN');
    const result = await work(tx);
    await tx.query('COMMIT');
    return result;
  } catch (error) {
    // The state of the connection is unknown when even this fails: the pool closes it and opens another.
    await tx.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    tx.release(broken);
  }
}
