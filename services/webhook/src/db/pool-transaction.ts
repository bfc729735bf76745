import type { SqlExecutor } from '@supplier/lib/postgres';
import type { Pool, PoolClient } from 'pg';

/** Runs `work` in one transaction on one connection of the pool: all of it is kept, or none when it throws. */
export async function inPoolTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // What it has left behind is not known when even this fails: the pool replaces it.
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The connection as the library's outbox takes it. */
export function executorOf(client: PoolClient): SqlExecutor {
  return {
    $executeRawUnsafe: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
    $queryRawUnsafe: async <Rows>(sql: string, ...values: unknown[]) =>
      (await client.query(sql, values)).rows as Rows,
  };
}
