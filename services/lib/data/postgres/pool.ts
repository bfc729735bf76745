import pg from 'pg';
import { type Registry, sharedGauge } from '../../runtime/metrics/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { addressOf, requireRoleSettings, SESSION_SETTINGS, UnnamedStatements } from './pgbouncer.ts';
import { writableOnly } from './writable-only.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 4_000;
/** Bounds how long a pool stays on a demoted server that still answers reads. */
const LONGEST_LIFE_S = 300;
const OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

export interface PoolOptions {
  /** The purpose of the pool if a process has several. PostgreSQL lists it with each connection, metrics as `pool`. */
  readonly purpose?: string;
  /** The maximum number of connections; the configured number by default. */
  readonly max?: number;
  /** Timeouts for a connection and a statement, in milliseconds; 2,000 and 4,000 by default. */
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
}

/**
 * Opens a bounded pool of connections to a server that accepts writes. Waits 2 s for a connection and 4 s for a
 * statement by default. Behind PgBouncer (`pgbouncer=true` in the address) the role has the settings. Closes when the process stops, after everything that uses it. Separate pools keep one kind of
 * work from waiting for another; docs/operating.md lists the totals.
 */
export function openPool(
  config: { databaseUrl: string; databasePool: number },
  process: ServiceProcess,
  options: PoolOptions = {},
): pg.Pool {
  const { purpose, max = config.databasePool, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const writable = writableOnly(process.log, purpose ?? 'calls');
  const { url, isPooled } = addressOf(config.databaseUrl);
  const pool = new pg.Pool({
    connectionString: url,
    max,
    // Statements are sent without waiting for the previous response: see inTransaction.
    pipeline: true,
    application_name: purpose ? `${process.name} ${purpose}` : process.name,
    ...(isPooled
      ? { Client: UnnamedStatements }
      : {
          options: OPTIONS,
          statement_timeout: statementTimeoutMs,
          idle_in_transaction_session_timeout: 10_000,
        }),
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    query_timeout: statementTimeoutMs + 500,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: LONGEST_LIFE_S,
    keepAlive: true,
    onConnect: async (client) => {
      await writable.check(client);
      if (isPooled) await requireRoleSettings(client);
    },
  });
  // The pool replaces a connection that breaks while idle; without a listener the error would end the process.
  pool.on('error', (err) => process.log.warn({ err }, 'idle database connection lost'));
  // So would a connection that breaks between two statements of a transaction: the pool does not listen to a connection
  // in use. The transaction fails with its next statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('connect', writable.watch);
  measurePool(process.metrics, purpose ?? 'calls', pool);
  process.onStop(purpose ? `database pool: ${purpose}` : 'database pool', () => pool.end(), 'connections');
  return pool;
}

/** Reports the busy, idle and maximum connections of a pool and the number of waiting callers. */
function measurePool(registry: Registry, purpose: string, pool: pg.Pool): void {
  sharedGauge(
    registry,
    {
      name: 'sss_database_pool_connections',
      help: 'Connections to PostgreSQL, by pool: busy or idle.',
      labelNames: ['pool', 'state'] as const,
    },
    () => [
      [{ pool: purpose, state: 'busy' }, pool.totalCount - pool.idleCount],
      [{ pool: purpose, state: 'idle' }, pool.idleCount],
    ],
  );
  sharedGauge(
    registry,
    {
      name: 'sss_database_pool_max_connections',
      help: 'Connections to PostgreSQL that a pool may open.',
      labelNames: ['pool'] as const,
    },
    () => [[{ pool: purpose }, pool.options.max]],
  );
  sharedGauge(
    registry,
    {
      name: 'sss_database_pool_waiting_callers',
      help: 'Callers waiting for a connection from a pool.',
      labelNames: ['pool'] as const,
    },
    () => [[{ pool: purpose }, pool.waitingCount]],
  );
}

/** The longest statement of a command counts the rows of a table of millions. */
const COMMAND_STATEMENT_MS = 600_000;

/** Runs `work` of a command with a small pool, and ends the pool. */
export async function withCommandPool<Result>(
  connectionString: string,
  name: string,
  work: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const { url, isPooled } = addressOf(connectionString);
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    pipeline: true,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    // Behind PgBouncer the role's limit applies.
    ...(isPooled ? { Client: UnnamedStatements } : { statement_timeout: COMMAND_STATEMENT_MS }),
  });
  // A broken connection fails the current statement; without listeners it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
