import pg from 'pg';
import type { ServiceProcess } from '../service-runtime/index.ts';
import { openPool } from './pool.ts';
import { type ReadOnlySetting, requireWritable } from './writable-only.ts';

const CONNECT_TIMEOUT_MS = 1_000;
const STATEMENT_TIMEOUT_MS = 500;

/**
 * Makes the check that the database answers from `table`, which its migrations create, accepts writes, and, with
 * `clockIsKnown`, that its time is known. It has a connection of its own, so that a busy pool does not make the process
 * unready, and reopens it when it breaks; simultaneous checks share one query. Each resolves, or rejects with the
 * reason, within about 3 s.
 */
export function databaseReadiness(
  config: { databaseUrl: string; databasePool: number },
  process: ServiceProcess,
  table: string,
  clockIsKnown = () => true,
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
        if (!clockIsKnown()) throw new Error('the database has not answered with its time within 200 ms yet');
      } catch (error) {
        failed = error as Error;
        throw error;
      } finally {
        // The next check opens a connection to the server that the address leads to then.
        client.release(failed);
      }
    } finally {
      current = undefined;
    }
  }

  return () => {
    current ??= check();
    return current;
  };
}
