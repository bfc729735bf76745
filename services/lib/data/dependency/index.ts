import { Code, ConnectError } from '@connectrpc/connect';
import type pg from 'pg';
import { isUnavailable } from '../postgres/index.ts';

const UNAVAILABLE: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded]);
/** Codes of undici and of the operating system which mean that no answer came. */
const NO_ANSWER =
  /^(UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET|CLOSED|DESTROYED)|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NOTFOUND|AI_AGAIN))$/;
/** Names of errors of the NATS client which mean that the bus is unavailable. */
const BUS_UNAVAILABLE =
  /^(TimeoutError|NoRespondersError|ConnectionError|ClosedConnectionError|DrainingConnectionError|RequestError)$/;
/** query_canceled and lock_not_available: the statement took too long, which can be the row's own fault. */
const TIMED_OUT = new Set(['57014', '55P03']);
const MAX_DEPTH = 5;

/**
 * Whether an error says that something this work depends on is unavailable (the database, the bus, a called service), rather
 * than that the work itself cannot be done. A statement that took too long does not count: one row alone can cause that.
 */
export function isDependencyUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > MAX_DEPTH) return false;
  if (error instanceof ConnectError) return UNAVAILABLE.has(error.code);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && TIMED_OUT.has(code)) return false;
  if (typeof code === 'string' && NO_ANSWER.test(code)) return true;
  if (BUS_UNAVAILABLE.test(error.name)) return true;
  if (error.cause !== undefined && isDependencyUnavailable(error.cause, depth + 1)) return true;
  return isUnavailable(error);
}

/**
 * Whether work in a transaction failed because something it depends on is unavailable: the error says so, or the database
 * does not answer now. An error alone cannot tell where a statement timed out or its connection broke before it.
 */
export async function isCausedByDependency(error: unknown, pool: Pick<pg.Pool, 'query'>): Promise<boolean> {
  if (isDependencyUnavailable(error)) return true;
  return pool.query('SELECT 1').then(
    () => false,
    () => true,
  );
}
