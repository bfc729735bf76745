import pg from 'pg';
import type { ServiceProcess } from '../service-runtime/index.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 4_000;

/**
 * A bounded pool whose every wait is bounded too: 2 s for a connection, 4 s for a statement. Closed when the process
 * stops.
 */
export function openPool(
  config: { databaseUrl: string; databasePool: number },
  process: ServiceProcess,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: config.databaseUrl,
    max: config.databasePool,
    application_name: process.name,
    // Prisma's adapter writes UTC without saying so, and PostgreSQL would read that in the server's own zone.
    options: '-c TimeZone=UTC',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 500,
    idle_in_transaction_session_timeout: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', (err) => process.log.warn({ err }, 'an idle database connection broke'));
  // So would one that breaks while it is lent out, between two statements of a transaction: the pool does not listen to
  // it then. The transaction learns of it from its next statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  process.onStop('database pool', () => pool.end(), 'connections');
  return pool;
}
