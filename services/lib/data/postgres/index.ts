export { type ColumnMap, type Columns, columnMap, columnsOf } from './column-map.ts';
export { type DatabaseClock, databaseClock } from './database-clock.ts';
export { databaseReadiness } from './database-readiness.ts';
export { withoutStatementsAfterEnd } from './ended-transactions.ts';
export { explained } from './explain-lack.ts';
export { enqueue, inOpenedTransaction, inTransaction, inTransactionOf } from './in-transaction.ts';
export { isUnavailable } from './is-unavailable.ts';
export { openPool, type PoolOptions, withCommandPool } from './pool.ts';
export { prismaTransactions, type SqlSession } from './prisma-transactions.ts';
