import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { directAddress } from '../postgres/pgbouncer.ts';
import { applyMigration } from './apply-migration.ts';
import { applyGrants, type GrantState, grantStates, readGrants, revokeUndeclared } from './grants.ts';
import {
  compareWithHistory,
  MigrationError,
  type MigrationState,
  makeHistory,
  readHistory,
  refuseConflicts,
} from './history.ts';
import { readMigrations } from './migration-files.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** The lock number of Prisma's migrate command, so that runs of earlier versions and this one wait for each other. */
const RUN_LOCK = 72_707_369;
const RUN_LOCK_POLL_MS = 100;
const RUN_LOCK_MS = 60_000;
/** After a run is killed, the server continues its index build and keeps the lock until the build ends. */
const BUILDING_RUN_LOCK_MS = 3_600_000;
const TABLE_WAIT_MS = 120_000;
/** The maximum of SSS_EVENT_RETENTION_DAYS, so that a migration drops nothing that a service keeps. */
const KEEP_EVENTS_DAYS = 90;
const EVENT_DAYS_AHEAD = 3;

export interface RunOptions {
  readonly databaseUrl: string;
  readonly serviceDir: URL;
  /** The role that the service connects as. It is granted the privileges in `prisma/grants.json`. */
  readonly runtimeRole?: string;
  readonly report?: (line: string) => void;
  /** How long to wait for another run, in milliseconds; 60,000 by default. */
  readonly runLockMs?: number;
  /** How long to retry for a table in use, in milliseconds; 120,000 by default. A single attempt waits 500 ms. */
  readonly tableWaitMs?: number;
}

/**
 * Applies the migrations in `<serviceDir>/prisma/migrations` that the database lacks, ordered by name, and resolves to
 * their names. Each runs in one transaction with its row in `_prisma_migrations`, so a failed migration leaves no
 * changes; earlier ones stay applied. A file that starts with the line `-- no transaction` contains one statement that
 * PostgreSQL rejects in a transaction. An interrupted index build is completed. A database with an outbox also gets the
 * event partitions of the coming days.
 *
 * Concurrent runs are safe: a run waits for the other, for up to an hour while it builds an index. Throws a
 * MigrationError if a file changed after it was applied, an earlier run left a migration unfinished, a migration fails,
 * a table is in use for too long, or the other run takes too long.
 */
export async function runMigrations(options: RunOptions): Promise<string[]> {
  const {
    databaseUrl,
    runtimeRole,
    report = () => {},
    runLockMs = RUN_LOCK_MS,
    tableWaitMs = TABLE_WAIT_MS,
  } = options;
  const migrations = readMigrations(options.serviceDir);
  return withSession(databaseUrl, async (session) => {
    await lockRun(session, runLockMs, report);
    await makeHistory(session);
    const states = compareWithHistory(migrations, await readHistory(session));
    refuseConflicts(states);
    const stateOf = new Map(states.map(({ name, state }) => [name, state]));
    const due = migrations.flatMap((migration) => {
      const state = stateOf.get(migration.name);
      return state === 'pending' || state === 'resumable' ? [{ migration, state }] : [];
    });
    for (const { migration, state } of due) {
      const start = performance.now();
      await applyMigration(session, migration, state, { databaseUrl, report, tableWaitMs });
      report(`applied ${migration.name} in ${Math.round(performance.now() - start)} ms`);
    }
    await addEventPartitions(session, report);
    if (runtimeRole) await grant(session, options.serviceDir, runtimeRole, report);
    return due.map(({ migration }) => migration.name);
  });
}

/**
 * Adds the partitions of events and batches that a database with an outbox lacks. An insert fails if the partition of its
 * day is added meanwhile, so they must exist before a service starts. Later ones are added days ahead, by services.
 */
async function addEventPartitions(session: pg.Client, report: (line: string) => void): Promise<void> {
  const { rows } = await session.query(`SELECT to_regproc('maintain_event_partitions') AS function`);
  if (rows[0]?.function === null) return;
  let outcome: string | undefined;
  do {
    const { rows } = await session.query<{ outcome: string }>(
      'SELECT maintain_event_partitions($1, $2) AS outcome',
      [KEEP_EVENTS_DAYS, EVENT_DAYS_AHEAD],
    );
    outcome = rows[0]?.outcome;
  } while (outcome === 'changed');
  if (outcome === 'busy')
    report('event partitions were not added because their tables are in use; services add them later');
}

async function grant(
  session: pg.Client,
  serviceDir: URL,
  role: string,
  report: (line: string) => void,
): Promise<void> {
  const { granted, superfluous } = await applyGrants(session, readGrants(serviceDir), role);
  if (granted.length > 0) report(`granted to ${role}: ${granted.join(', ')}`);
  if (superfluous.length > 0)
    report(
      `${role} has more privileges than this version declares on ${superfluous.map(({ table }) => table).join(', ')}: run migrate --revoke-undeclared when no process of another release is running`,
    );
}

/** Revokes undeclared privileges, one line each. Throws a MigrationError if some remain. */
export async function revokeFromRuntime(
  options: Pick<RunOptions, 'databaseUrl' | 'serviceDir' | 'report' | 'runLockMs'> & { runtimeRole: string },
): Promise<void> {
  const { databaseUrl, serviceDir, runtimeRole, report = () => {}, runLockMs = RUN_LOCK_MS } = options;
  await withSession(databaseUrl, async (session) => {
    await lockRun(session, runLockMs, report);
    const revoked = await revokeUndeclared(session, readGrants(serviceDir), runtimeRole);
    for (const { table, superfluous } of revoked)
      report(`revoked from ${runtimeRole}: ${superfluous} on ${table}`);
    if (revoked.length === 0) report('nothing to revoke');
  });
}

/** Returns the state of each migration, ordered by name. Changes nothing and does not wait for other runs. */
export async function migrationStates(
  options: Pick<RunOptions, 'databaseUrl' | 'serviceDir'>,
): Promise<MigrationState[]> {
  const migrations = readMigrations(options.serviceDir);
  return withSession(options.databaseUrl, async (session) =>
    compareWithHistory(migrations, await readHistory(session)),
  );
}

/** Returns the runtime role's privileges on each table, ordered by name; empty if no role is named. Changes nothing. */
export async function runtimeGrants(
  options: Pick<RunOptions, 'databaseUrl' | 'serviceDir' | 'runtimeRole'>,
): Promise<GrantState[]> {
  const { databaseUrl, serviceDir, runtimeRole } = options;
  if (!runtimeRole) return [];
  return withSession(databaseUrl, (session) => grantStates(session, readGrants(serviceDir), runtimeRole));
}

/** Uses one session for the whole run: the run's lock belongs to the session and ends with it. */
async function withSession<Result>(
  databaseUrl: string,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client({
    connectionString: directAddress(databaseUrl),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'migrate',
  });
  // A broken connection fails the current statement; without a listener it would end the process.
  session.on('error', () => {});
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

/** Polls: a waiting statement would hold a snapshot, for which a concurrent index build would wait. */
async function lockRun(session: pg.Client, waitMs: number, report: (line: string) => void): Promise<void> {
  const tryLock = async () => {
    const { rows } = await session.query(`SELECT pg_try_advisory_lock(${RUN_LOCK}) AS taken`);
    return rows[0]?.taken === true;
  };
  if (await tryLock()) return;
  const start = Date.now();
  let said: string | undefined;
  for (;;) {
    const other = await runningRun(session);
    if (other) {
      const { building, who } = other;
      const boundMs = building ? BUILDING_RUN_LOCK_MS : waitMs;
      if (Date.now() - start >= boundMs)
        throw new MigrationError(
          `another run has held the migration lock for more than ${boundMs / 1000} s: ${who}`,
        );
      const line = `waiting up to ${boundMs / 1000} s for another run${building ? ', which is building an index' : ''}: ${who}`;
      if (line !== said) report(line);
      said = line;
      await pause(RUN_LOCK_POLL_MS);
    }
    if (await tryLock()) return;
  }
}

/** Returns the run that holds the lock, or undefined if it has just ended. */
async function runningRun(session: pg.Client): Promise<{ building: boolean; who: string } | undefined> {
  const { rows } = await session.query<{ pid: number; application: string | null; building: boolean }>(
    `SELECT l.pid, a.application_name AS application, p.pid IS NOT NULL AS building
       FROM pg_locks l
       LEFT JOIN pg_stat_activity a ON a.pid = l.pid
       LEFT JOIN pg_stat_progress_create_index p ON p.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1 AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [RUN_LOCK],
  );
  const [run] = rows;
  if (!run) return undefined;
  return { building: run.building, who: `pid ${run.pid} (${run.application || 'no application_name'})` };
}
