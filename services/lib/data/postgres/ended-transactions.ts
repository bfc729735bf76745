import type pg from 'pg';

const ENDS = /^(COMMIT|ROLLBACK)$/;

/**
 * Returns a view of `pool` for Prisma that rejects statements after the end of their transaction: if Prisma rolls back
 * in the middle of an operation, the rest would run in no transaction, or in the next.
 */
export function withoutStatementsAfterEnd(pool: pg.Pool): pg.Pool {
  return overriding(pool, 'connect', async () => untilEnd(await pool.connect()));
}

function untilEnd(client: pg.PoolClient): pg.PoolClient {
  let hasEnded = false;
  return overriding(client, 'query', (statement: pg.QueryConfig) => {
    if (hasEnded) return Promise.reject(new EndedTransactionError());
    hasEnded = ENDS.test(statement.text);
    return client.query(statement);
  });
}

/** Uses Prisma's code for a transaction timeout, so that callers handle both the same way. */
class EndedTransactionError extends Error {
  override readonly name = 'EndedTransactionError';
  readonly code = 'P2028';

  constructor() {
    super('the transaction has ended');
  }
}

function overriding<Target extends object>(target: Target, name: string, method: unknown): Target {
  return new Proxy(target, {
    get(real, key) {
      if (key === name) return method;
      const value: unknown = Reflect.get(real, key, real);
      return typeof value === 'function' ? value.bind(real) : value;
    },
  });
}
