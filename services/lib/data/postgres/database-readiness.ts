import pg from 'pg';
import { NotReady, type ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { explained, lacking } from './explain-lack.ts';
import { openPool } from './pool.ts';
import { type ReadOnlySetting, requireWritable } from './writable-only.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 500;

export interface DatabaseNeeds {
  readonly table: string;
  /** The names of all migrations in this version. */
  readonly migrations?: readonly string[];
  readonly clockIsKnown?: () => boolean;
}

/**
 * Creates a check that the database responds, has this version's schema, accepts writes, and its time is known. It has
 * its own connection and rejects with a NotReady within about 3 s. Simultaneous checks share a query.
 */
export function databaseReadiness(
  config: { databaseUrl: string; databasePool: number },
  process: ServiceProcess,
  { table, migrations = [], clockIsKnown = () => true }: DatabaseNeeds,
): () => Promise<void> {
  const pool = openPool(config, process, {
    purpose: 'readiness',
    max: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const statement = `SELECT EXISTS (SELECT FROM ${pg.escapeIdentifier(table)}), current_setting('transaction_read_only') AS read_only`;
  let current: Promise<void> | undefined;

  async function check(): Promise<void> {
    try {
      const client = await pool.connect();
      let failed: Error | undefined;
      try {
        const { rows } = await client.query<ReadOnlySetting>(statement);
        requireWritable(rows);
        await requireMigrations(client, config.databaseUrl, migrations);
        if (!clockIsKnown()) throw new NotReady('the database clock has not been read within 200 ms yet');
      } catch (error) {
        failed = error as Error;
        throw error;
      } finally {
        // The next check connects to the server that the address resolves to then.
        client.release(failed);
      }
    } catch (error) {
      throw explained(error, config.databaseUrl);
    } finally {
      current = undefined;
    }
  }

  return () => {
    current ??= check();
    return current;
  };
}

async function requireMigrations(
  client: pg.ClientBase,
  databaseUrl: string,
  needed: readonly string[],
): Promise<void> {
  if (needed.length === 0) return;
  const { rows } = await client.query<{ name: string }>(
    `SELECT n.name FROM unnest($1::text[]) WITH ORDINALITY AS n(name, place)
      WHERE NOT EXISTS (SELECT FROM _prisma_migrations m
         WHERE m.migration_name = n.name AND m.finished_at IS NOT NULL AND m.rolled_back_at IS NULL)
      ORDER BY place`,
    [needed],
  );
  if (rows.length > 0)
    throw lacking(
      rows.map(({ name }) => name),
      databaseUrl,
    );
}
