import { Code, ConnectError } from '@connectrpc/connect';
import type pg from 'pg';
import { isUnavailable } from '../postgres/index.ts';

const UNAVAILABLE: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded]);
/** Error codes of undici and the operating system that mean no response. */
const NO_ANSWER =
  /^(UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET|CLOSED|DESTROYED)|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NOTFOUND|AI_AGAIN))$/;
/** Error names of the NATS client that mean the bus is unavailable. */
const BUS_UNAVAILABLE =
  /^(TimeoutError|NoRespondersError|ConnectionError|ClosedConnectionError|DrainingConnectionError|RequestError)$/;
/** query_canceled and lock_not_available: the statement took too long, which may be the row's fault. */
const TIMED_OUT = new Set(['57014', '55P03']);
const MAX_DEPTH = 5;

/** Returns whether a database, bus or service is unavailable. A statement timeout may be the row's fault. */
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

/** Returns whether work in a transaction failed because of a dependency. Asks the database if unsure. */
export async function isCausedByDependency(error: unknown, pool: Pick<pg.Pool, 'query'>): Promise<boolean> {
  if (isDependencyUnavailable(error)) return true;
  return pool.query('SELECT 1').then(
    () => false,
    () => true,
  );
}
