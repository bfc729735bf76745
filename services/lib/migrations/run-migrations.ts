import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { applyGrants, type GrantState, grantStates, readGrants } from './grants.ts';
import {
  compareWithHistory,
  MigrationError,
  type MigrationState,
  makeHistory,
  readHistory,
  recordEnd,
  recordStart,
  refuseConflicts,
} from './history.ts';
import { type Migration, readMigrations } from './migration-files.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** The number that Prisma's migrate command locks: a run of an earlier version and one of this wait for each other. */
const RUN_LOCK = 72_707_369;
const RUN_LOCK_POLL_MS = 100;
/** A script that waits for a table holds up everybody who comes after it. */
const TABLE_LOCK_MS = 10_000;
const RUN_LOCK_MS = 60_000;

export interface RunOptions {
  readonly databaseUrl: string;
  /** The directory that holds `prisma/migrations`. */
  readonly serviceDir: URL;
  /** The role that the service connects as: it is given what `prisma/grants.json` says, and nothing else. */
  readonly runtimeRole?: string;
  /** Receives a line for each step. */
  readonly report?: (line: string) => void;
  /** How long another run is waited for, in milliseconds; 60,000 by default. */
  readonly runLockMs?: number;
  /** How long a statement waits for a table that others use, in milliseconds; 10,000 by default. */
  readonly tableLockMs?: number;
}

/**
 * Applies the migrations of `<serviceDir>/prisma/migrations` that the database does not have yet, ordered by name, and
 * resolves to their names. Each is applied in one transaction with its row in `_prisma_migrations`, so a failed one
 * leaves nothing; the ones before it stay applied. A file that begins with the line `-- no transaction` holds one
 * statement that PostgreSQL refuses in a transaction.
 *
 * Safe to run several times at once: a run waits for the other. Throws a MigrationError when a file was changed after
 * it was applied, when an earlier run left one unfinished, when one fails, and when the other run takes too long.
 */
export async function runMigrations(options: RunOptions): Promise<string[]> {
  const { runtimeRole, report = () => {}, runLockMs = RUN_LOCK_MS, tableLockMs = TABLE_LOCK_MS } = options;
  const migrations = readMigrations(options.serviceDir);
  return withSession(options.databaseUrl, async (session) => {
    await lockRun(session, runLockMs, report);
    await makeHistory(session);
    const states = compareWithHistory(migrations, await readHistory(session));
    refuseConflicts(states);
    const pending = migrations.filter(({ name }) =>
      states.some((found) => found.name === name && found.state === 'pending'),
    );
    for (const migration of pending) {
      const start = performance.now();
      await apply(session, migration, tableLockMs);
      report(`applied ${migration.name} in ${Math.round(performance.now() - start)} ms`);
    }
    if (runtimeRole) await grant(session, options.serviceDir, runtimeRole, report);
    return pending.map(({ name }) => name);
  });
}

async function grant(
  session: pg.Client,
  serviceDir: URL,
  role: string,
  report: (line: string) => void,
): Promise<void> {
  const changed = await applyGrants(session, readGrants(serviceDir), role);
  if (changed.length > 0) report(`granted to ${role}: ${changed.join(', ')}`);
}

/** The state of each migration, ordered by name. Changes nothing and waits for no other run. */
export async function migrationStates(
  options: Pick<RunOptions, 'databaseUrl' | 'serviceDir'>,
): Promise<MigrationState[]> {
  const migrations = readMigrations(options.serviceDir);
  return withSession(options.databaseUrl, async (session) =>
    compareWithHistory(migrations, await readHistory(session)),
  );
}

/** What the runtime role may do on each table, ordered by name; nothing where no role is named. Changes nothing. */
export async function runtimeGrants(
  options: Pick<RunOptions, 'databaseUrl' | 'serviceDir' | 'runtimeRole'>,
): Promise<GrantState[]> {
  const { databaseUrl, serviceDir, runtimeRole } = options;
  if (!runtimeRole) return [];
  return withSession(databaseUrl, (session) => grantStates(session, readGrants(serviceDir), runtimeRole));
}

/** One session for the whole run: the lock of the run belongs to it and ends with it. */
async function withSession<Result>(
  connectionString: string,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'migrate',
  });
  // A broken connection fails the statement under way; without a listener it would end the process.
  session.on('error', () => {});
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

/**
 * Polls: a statement that waits for the lock would hold a snapshot, which an index that the other run builds
 * concurrently waits for in turn.
 */
async function lockRun(session: pg.Client, waitMs: number, report: (line: string) => void): Promise<void> {
  const tryLock = async () => {
    const { rows } = await session.query(`SELECT pg_try_advisory_lock(${RUN_LOCK}) AS taken`);
    return rows[0]?.taken === true;
  };
  if (await tryLock()) return;
  report(`waiting for another run, up to ${waitMs / 1000} s`);
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; ) {
    await pause(RUN_LOCK_POLL_MS);
    if (await tryLock()) return;
  }
  throw new MigrationError(`another run still holds the migration lock after ${waitMs / 1000} s`);
}

async function apply(session: pg.Client, migration: Migration, tableLockMs: number): Promise<void> {
  try {
    if (migration.inTransaction) await applyInTransaction(session, migration, tableLockMs);
    else await applyAlone(session, migration);
  } catch (error) {
    throw failureOf(migration, error);
  }
}

async function applyInTransaction(
  session: pg.Client,
  migration: Migration,
  tableLockMs: number,
): Promise<void> {
  await session.query(`BEGIN; SET LOCAL lock_timeout = ${tableLockMs}`);
  try {
    const id = await recordStart(session, migration);
    // Sent as one text: PostgreSQL finds the ends of statements, and function bodies keep their semicolons.
    await session.query(migration.sql);
    await recordEnd(session, id);
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** What fails here may have left something behind, such as an invalid index: its row stays unfinished, for a person. */
async function applyAlone(session: pg.Client, migration: Migration): Promise<void> {
  const id = await recordStart(session, migration);
  await session.query(migration.sql);
  await recordEnd(session, id);
}

/** Messages of these classes may quote rows: data exceptions, and what a script raises itself. */
const QUOTES_DATA = /^(?:22|P0)/;

function failureOf({ name, sql }: Migration, cause: unknown): MigrationError {
  const { code, message, position } = cause as Partial<pg.DatabaseError>;
  const line = position ? `, line ${sql.slice(0, Number(position) - 1).split('\n').length}` : '';
  const where = code ? ` (${code}${line})` : '';
  const what = code && QUOTES_DATA.test(code) ? '' : `: ${message}`;
  return new MigrationError(`migration ${name} failed${where}${what}`, { cause });
}
