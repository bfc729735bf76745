import type pg from 'pg';

const ENDS = /^(COMMIT|ROLLBACK)$/;

/**
 * Returns a view of `pool` for Prisma that rejects statements after the end of their transaction: if Prisma rolls back
 * in the middle of an operation, the rest would run in no transaction, or in the next. Calls `onConnect` with each
 * connection that is taken.
 */
export function withoutStatementsAfterEnd(
  pool: pg.Pool,
  onConnect: (connection: pg.PoolClient) => void = () => {},
): pg.Pool {
  return overriding(pool, 'connect', async () => {
    const connection = untilEnd(await pool.connect());
    onConnect(connection);
    return connection;
  });
}

function untilEnd(client: pg.PoolClient): pg.PoolClient {
  let hasEnded = false;
  return overriding(client, 'query', (statement: pg.QueryConfig | string, values?: unknown[]) => {
    if (hasEnded) return Promise.reject(new EndedTransactionError());
    hasEnded = ENDS.test(typeof statement === 'string' ? statement : statement.text);
    return client.query(statement, values);
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

/** Returns a view of `target` with another method. */
export function overriding<Target extends object>(target: Target, name: string, method: unknown): Target {
  return new Proxy(target, {
    get(real, key) {
      if (key === name) return method;
      const value: unknown = Reflect.get(real, key, real);
      return typeof value === 'function' ? value.bind(real) : value;
    },
  });
}
