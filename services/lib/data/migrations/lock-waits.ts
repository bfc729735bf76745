import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const LOOK_EVERY_MS = 150;
/** The poll interval for a session that waits longer than one attempt may. */
const LOOK_LATER_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const MAX_HOLDERS = 3;

/** The lock that a session waits for and its holders. Excludes query text, which may quote data. */
export interface LockWait {
  /** The table name, quoted for SQL. Undefined if the session waits for a transaction to end, for example. */
  readonly table?: string;
  /** Example: `the table lead, in use by pid 42 (submission) since 2026-11-20T10:00:00.000Z`. */
  readonly says: string;
}

/**
 * Watches the session `pid` until closed, from a connection opened when it may be waiting, and calls `seen` for each
 * new wait. Sees nothing if the connection fails.
 */
export function watchLocks(databaseUrl: string, pid: number, seen: (wait: LockWait) => void = () => {}) {
  const closing = new AbortController();
  const firstSeen = new Map<string, Date>();
  let last: LockWait | undefined;
  const watching = watch().catch(() => {});
  return {
    /** Returns the last wait seen, or undefined if no wait lasted long enough to be seen. */
    last: () => last,
    async close() {
      closing.abort();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    await pause(LOOK_EVERY_MS, undefined, { signal: closing.signal });
    const session = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      application_name: 'migrate (lock waits)',
    });
    session.on('error', () => {});
    await session.connect();
    try {
      for (let looks = 0; !closing.signal.aborted; looks++) {
        const wait = await waitOf(session, pid, firstSeen);
        if (wait && wait.says !== last?.says) seen(wait);
        last = wait ?? last;
        const every = looks < 10 ? LOOK_EVERY_MS : LOOK_LATER_MS;
        await pause(every, undefined, { signal: closing.signal });
      }
    } finally {
      await session.end();
    }
  }
}

interface Holder {
  readonly table: string | null;
  readonly pid: number;
  readonly application: string | null;
  readonly since: Date | null;
}

async function waitOf(
  session: pg.Client,
  pid: number,
  firstSeen: Map<string, Date>,
): Promise<LockWait | undefined> {
  // Finding the blocking sessions reads the whole lock table, so do it only during a wait.
  const { rowCount } = await session.query(
    `SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`,
    [pid],
  );
  if (rowCount === 0) return undefined;
  const { rows } = await session.query<Holder>(
    `SELECT c.oid::regclass::text AS table, holder.pid, a.application_name AS application, a.xact_start AS since
       FROM pg_locks w
       CROSS JOIN LATERAL (SELECT DISTINCT unnest(pg_blocking_pids(w.pid)) AS pid) AS holder
       LEFT JOIN pg_class c ON c.oid = w.relation AND c.relkind IN ('r', 'p')
       LEFT JOIN pg_stat_activity a ON a.pid = holder.pid
      WHERE w.pid = $1 AND NOT w.granted ORDER BY a.xact_start, holder.pid`,
    [pid],
  );
  const [first] = rows;
  if (!first) return undefined;
  const holders = rows.slice(0, MAX_HOLDERS).map((holder) => describe(holder, firstSeen));
  const more = rows.length > MAX_HOLDERS ? ` and ${rows.length - MAX_HOLDERS} more` : '';
  const by = `${holders.join(', ')}${more}`;
  return first.table === null
    ? { says: `the end of a transaction of ${by}` }
    : { table: first.table, says: `the table ${first.table}, in use by ${by}` };
}

/** Only members of `pg_read_all_stats` can see when another role's transaction started. */
function describe({ pid, application, since }: Holder, firstSeen: Map<string, Date>): string {
  if (pid === 0) return 'a prepared transaction';
  const key = `${pid}`;
  const seenAt = firstSeen.get(key) ?? new Date();
  firstSeen.set(key, seenAt);
  const when = since ? `since ${since.toISOString()}` : `since ${seenAt.toISOString()} or longer`;
  return `pid ${pid} (${application || 'no application_name'}) ${when}`;
}
