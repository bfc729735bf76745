import pg from 'pg';

/** Reads a stack's databases directly, without its services. */
export interface Databases {
  rows<Row extends object>(database: string, sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** `superuserUrl` may name any database of the server. */
export function databasesAt(superuserUrl: string): Databases {
  return {
    async rows<Row extends object>(database: string, sql: string, values: readonly unknown[] = []) {
      const session = new pg.Client({ connectionString: urlOf(superuserUrl, database) });
      await session.connect();
      try {
        await session.query('SET default_transaction_read_only = on');
        return (await session.query<Row>(sql, [...values])).rows;
      } finally {
        await session.end();
      }
    },
  };
}

/** Returns the URL of another database of the same server. */
export function urlOf(superuserUrl: string, database: string): string {
  return Object.assign(new URL(superuserUrl), { pathname: `/${database}` }).href;
}
