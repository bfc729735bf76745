import type pg from 'pg';

const ENDS = /^(COMMIT|ROLLBACK)$/;

/**
 * A view of `pool` for Prisma, in which a connection takes no statement after the end of its transaction. When a
 * transaction lasts too long, Prisma rolls it back while an operation of several statements may be under way. The rest
 * of that operation would run outside of the transaction, or within the next one on the connection.
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

/** To callers the database took too long, as for Prisma, whose code it has. */
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
