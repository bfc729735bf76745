import type { ClientBase, Pool } from 'pg';

export { type ColumnMap, columnMap, columnsOf } from './column-map.ts';
export { type DatabaseClock, databaseClock } from './database-clock.ts';
export { databaseReadiness } from './database-readiness.ts';
export { withoutStatementsAfterEnd } from './ended-transactions.ts';
export { explained } from './explain-lack.ts';
export { enqueue, inOpenedTransaction, inTransaction } from './in-transaction.ts';
export { isUnavailable } from './is-unavailable.ts';
export { openPool, type PoolOptions, withCommandPool } from './pool.ts';
export { prismaTransactions } from './prisma-transactions.ts';

/** The methods that a Prisma client and a Prisma transaction share, for SQL outside any service's schema. */
export interface SqlExecutor {
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
  $queryRawUnsafe<Result = unknown>(query: string, ...values: unknown[]): PromiseLike<Result>;
}

/** A pool, connection or transaction, of `pg` or of Prisma. */
export type SqlSession = Pick<ClientBase | Pool, 'query'> | Pick<SqlExecutor, '$queryRawUnsafe'>;

/** Runs a statement with casts for its parameters, since Prisma sends them as text. Resolves to its rows. */
export async function rowsOf<Row extends object>(
  session: SqlSession,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  if (!('query' in session)) return session.$queryRawUnsafe<Row[]>(text, ...values);
  return (await session.query<Row>(text, [...values])).rows;
}
