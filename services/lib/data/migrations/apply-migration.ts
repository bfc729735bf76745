import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import pg from 'pg';
import { inTransactionOf } from '../postgres/index.ts';
import { MigrationError, type MigrationState, recordEnd, recordFailure, recordStart } from './history.ts';
import { type LockWait, watchLocks } from './lock-waits.ts';
import type { Migration } from './migration-files.ts';

/** Other statements queue behind a statement waiting for a table lock, so this bounds the service's interruption. */
const TRY_MS = 500;
/** A wait in a lock mode that blocks no readers or writers may last until PostgreSQL cancels autovacuum, after 1 s. */
const HARMLESS_WAIT_MS = 3_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;
/** A concurrent index build waits for transactions to end without blocking other statements. */
const BUILD_LOCK_MS = 600_000;

const LOCK_TIMEOUT = '55P03';
const DEADLOCK = '40P01';

export interface ApplyOptions {
  readonly databaseUrl: string;
  readonly report: (line: string) => void;
  readonly tableWaitMs: number;
}

/** Applies a pending migration, or completes an interrupted index build. Throws a MigrationError. */
export async function applyMigration(
  session: pg.Client,
  migration: Migration,
  state: MigrationState['state'],
  options: ApplyOptions,
): Promise<void> {
  try {
    if (migration.inTransaction) await applyInTries(session, migration, options);
    else if (migration.index) await applyToIndex(session, migration, state, migration.index, options);
    else await applyAlone(session, migration);
  } catch (error) {
    throw error instanceof MigrationError ? error : failureOf(migration, error);
  }
}

/** Each attempt waits for a table for at most 500 ms and changes nothing unless it succeeds. */
async function applyInTries(session: pg.Client, migration: Migration, options: ApplyOptions): Promise<void> {
  const start = performance.now();
  let wait: LockWait | undefined;
  for (let tries = 0; ; tries++) {
    const pid = await backendOf(session);
    const watch = watchLocks(options.databaseUrl, pid);
    try {
      return await applyInTransaction(session, migration, wait?.table);
    } catch (error) {
      if (!wasInTheWay(error)) throw error;
      wait = watch.last() ?? wait;
    } finally {
      await watch.close();
    }
    const what = wait?.says ?? 'a table in use';
    const waitedMs = performance.now() - start;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.75 + Math.random() / 2);
    if (waitedMs + pauseMs > options.tableWaitMs)
      throw new MigrationError(
        `migration ${migration.name} was not applied: it waited ${seconds(waitedMs)} for ${what}. Nothing was changed. Wait for that transaction to end, or end it with pg_terminate_backend, then run migrate again`,
      );
    options.report(
      `${migration.name} is waiting for ${what}; tried for ${seconds(waitedMs)}, retrying in ${seconds(pauseMs)}`,
    );
    await pause(pauseMs);
  }
}

/** First waits for VACUUM on `waitedFor`, in a lock mode that does not queue readers or writers. */
function applyInTransaction(session: pg.Client, migration: Migration, waitedFor: string | undefined) {
  return inTransactionOf(session, async () => {
    if (waitedFor)
      await session.query(
        `SET LOCAL lock_timeout = ${HARMLESS_WAIT_MS}; LOCK TABLE ONLY ${waitedFor} IN SHARE UPDATE EXCLUSIVE MODE`,
      );
    await session.query(`SET LOCAL lock_timeout = ${TRY_MS}`);
    // Sent as one string so that PostgreSQL parses it: function bodies may contain semicolons.
    await applyAlone(session, migration);
  });
}

/**
 * Builds or drops an index concurrently. If the run is killed, PostgreSQL may continue the build: the next run waits
 * for its end and keeps the index, or starts again.
 */
async function applyToIndex(
  session: pg.Client,
  migration: Migration,
  state: MigrationState['state'],
  { action, name }: NonNullable<Migration['index']>,
  { databaseUrl, report }: ApplyOptions,
): Promise<void> {
  await session.query(`SET lock_timeout = ${BUILD_LOCK_MS}`);
  const pid = await backendOf(session);
  const watch = watchLocks(databaseUrl, pid, ({ says }) =>
    report(`${migration.name} is waiting for ${says}`),
  );
  try {
    const found = await indexState(session, name);
    const wasStarted = state === 'resumable';
    if (wasStarted && found === (action === 'create' ? 'valid' : 'none')) {
      report(`PostgreSQL ended ${migration.name} after its run was interrupted`);
      return await recordEnd(session, migration);
    }
    if (action === 'create' && found === 'valid')
      throw new MigrationError(
        `migration ${migration.name} failed: the index ${name} already exists. Drop it (DROP INDEX CONCURRENTLY), then run migrate again`,
      );
    if (action === 'create' && found === 'invalid') {
      report(`${migration.name}: dropping the index ${name}, whose build did not finish`);
      await dropInvalidIndex(session, name);
    }
    if (!wasStarted) await recordStart(session, migration);
    await session.query(migration.sql);
    await recordEnd(session, migration);
  } catch (error) {
    await undo(session, migration, action, name);
    throw error;
  } finally {
    await watch.close();
    await session.query('RESET lock_timeout').catch(() => {});
  }
}

/** If this fails, the next run cleans up. Until then an invalid unique index would reject rows. */
async function undo(
  session: pg.Client,
  migration: Migration,
  action: 'create' | 'drop',
  index: string,
): Promise<void> {
  try {
    await session.query(`SET lock_timeout = ${HARMLESS_WAIT_MS}`);
    const isInvalid = (await indexState(session, index)) === 'invalid';
    if (isInvalid && action === 'drop') return;
    if (isInvalid) await dropInvalidIndex(session, index);
    await recordFailure(session, migration);
  } catch {
    // The row still marks the migration as started.
  }
}

/** Outside a transaction, a failure may leave changes behind: the row stays unfinished for a person to review. */
async function applyAlone(session: pg.Client, migration: Migration): Promise<void> {
  await recordStart(session, migration);
  await session.query(migration.sql);
  await recordEnd(session, migration);
}

async function backendOf(session: pg.Client): Promise<number> {
  const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** A lock was not granted in time, or deadlock detection aborted this transaction. */
const wasInTheWay = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === LOCK_TIMEOUT || error.code === DEADLOCK);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Messages of these classes may quote rows: data exceptions, and errors raised by a script. */
const QUOTES_DATA = /^(?:22|P0)/;

function failureOf({ name, sql }: Migration, cause: unknown): MigrationError {
  const { code, message, position } = cause as Partial<pg.DatabaseError>;
  const line = position ? `, line ${sql.slice(0, Number(position) - 1).split('\n').length}` : '';
  const where = code ? ` (${code}${line})` : '';
  const what = code && QUOTES_DATA.test(code) ? '' : `: ${message}`;
  return new MigrationError(`migration ${name} failed${where}${what}`, { cause });
}

/** Returns `invalid` if a build or drop did not finish. */
async function indexState(session: ClientBase, name: string): Promise<'none' | 'valid' | 'invalid'> {
  const { rows } = await session.query<{ valid: boolean }>(
    `SELECT i.indisvalid AS valid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      WHERE c.relname = $1 AND c.relnamespace = current_schema()::regnamespace`,
    [name],
  );
  const [found] = rows;
  if (!found) return 'none';
  return found.valid ? 'valid' : 'invalid';
}

async function dropInvalidIndex(session: ClientBase, name: string): Promise<void> {
  await session.query(`DROP INDEX CONCURRENTLY ${session.escapeIdentifier(name)}`);
}
