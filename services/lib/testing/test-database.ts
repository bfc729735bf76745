import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { runMigrations } from '../migrations/index.ts';

/** A database of a test file's own. */
export interface TestDatabase {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** Ends the pool and drops the database. */
  close(): Promise<void>;
}

/**
 * Makes a database of random name on the server of TEST_POSTGRES_URL, with the migrations of `serviceDir` or the SQL of
 * `schema` in it.
 */
export async function createTestDatabase(
  content: { serviceDir: URL } | { schema: string },
): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: `npm test` starts a PostgreSQL and sets it');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(server, `CREATE DATABASE ${name}`);
  const databaseUrl = Object.assign(new URL(server), { pathname: name }).href;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, pipeline: true });
  // Dropping the database cuts what a test left open.
  pool.on('error', () => {});
  if ('schema' in content) await pool.query(content.schema);
  else await runMigrations({ databaseUrl, serviceDir: content.serviceDir });
  return {
    databaseUrl,
    pool,
    async close() {
      await pool.end();
      await asAdmin(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function asAdmin(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
