/** The server rejects writes: it is a standby or a demoted primary. */
export const READ_ONLY = '25006';
/** Insufficient resources, such as a full disk or too many connections, and system errors of the server. */
const CLASSES = /^5[38]/;
/** Codes of the operating system, PostgreSQL and Prisma that mean the database is unavailable. */
const CODES = new Set(
  `ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH
  25P03 57P01 57P02 57P03 57P05 57014 ${READ_ONLY} 08000 08001 08003 08004 08006
  P1001 P1002 P1008 P1017 P2024 P2028`
    .split(/\s+/)
    .filter(Boolean),
);
/** node-postgres has no codes for these errors. */
const MESSAGES =
  /connection terminated|not queryable|timeout exceeded when trying to connect|query read timeout|connection timeout/i;
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
const SQLSTATE_LENGTH = 5;
const MAX_DEPTH = 5;

/** Returns whether the database cannot be reached or respond in time; other errors are the statement's. */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return false;
  const { code, kind, originalCode, message, cause, meta, driverAdapterError } = error as Record<
    string,
    unknown
  >;
  if (meansUnavailable(code) || meansUnavailable(originalCode)) return true;
  if (typeof kind === 'string' && KINDS.has(kind)) return true;
  if (typeof message === 'string' && MESSAGES.test(message)) return true;
  return [cause, meta, driverAdapterError].some((inner) => isUnavailable(inner, depth + 1));
}

const meansUnavailable = (code: unknown) =>
  typeof code === 'string' && (CODES.has(code) || (code.length === SQLSTATE_LENGTH && CLASSES.test(code)));
