import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createFromTemplate, RUNTIME_ROLE } from './template-database.ts';

/** How long a pool waits for its clients. A test that failed has not released all of them. */
const POOL_END_MS = 5_000;

/** A separate database for one test file. */
export interface TestDatabase {
  /** URL of the owner, who has all privileges. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** URL of the runtime role, if there is one, with only the privileges that the migrations granted. */
  readonly runtimeUrl: string;
  /** Ends the pool and drops the database. */
  close(): Promise<void>;
}

/**
 * Creates a randomly named database on the server of TEST_POSTGRES_URL, with the migrations of `serviceDir` or the SQL
 * of `schema`.
 */
export async function createTestDatabase(
  content: { serviceDir: URL } | { schema: string },
): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: `npm test` starts a PostgreSQL and sets it');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const databaseUrl = Object.assign(new URL(server), { pathname: name }).href;
  if ('schema' in content) await asAdmin(server, `CREATE DATABASE ${name}`);
  else await createFromTemplate(server, name, content.serviceDir);
  const runtimeUrl =
    'schema' in content ? databaseUrl : Object.assign(new URL(databaseUrl), RUNTIME_ROLE).href;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, pipeline: true });
  // Dropping the database cuts connections that a test left open, in the pool or outside.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  if ('schema' in content) await pool.query(content.schema);
  return {
    databaseUrl,
    pool,
    runtimeUrl,
    async close() {
      await Promise.race([pool.end(), pause(POOL_END_MS, undefined, { ref: false })]);
      await asAdmin(server, untilUnused(name), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Deletes all rows, including those of append-only tables: much cheaper than another database. */
export async function emptyTables(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
        AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> '_prisma_migrations'`,
  );
  const deletions = rows.map(({ name }) => `DELETE FROM ${name}`);
  // Triggers and foreign keys do not apply to a replica.
  await pool.query(
    ['BEGIN', 'SET LOCAL session_replication_role = replica', ...deletions, 'COMMIT'].join(';'),
  );
}

/** A pool ends before the server notices. A connection cut in between would bring down the whole test process. */
const untilUnused = (name: string) => `DO $$ BEGIN
    FOR look IN 1..40 LOOP
      EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '${name}' AND backend_type = 'client backend');
      PERFORM pg_stat_clear_snapshot(), pg_sleep(0.025);
    END LOOP;
  END $$`;

async function asAdmin(connectionString: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
