export { inTransaction } from './in-transaction.ts';
export { isUnavailable } from './is-unavailable.ts';
export { listen } from './listen.ts';
export { openPool } from './pool.ts';
export type { SqlExecutor } from './sql-executor.ts';
