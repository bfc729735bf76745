import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Migration } from './migration-files.ts';

/** The database could not be migrated. The message quotes no data. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * `pending`: in the files but not in the database. `changed`: the file differs from the applied one. `unfinished`:
 * started but neither finished nor rolled back, and needs review by a person. `resumable`: the same for a migration
 * that builds or drops an index, which the next run completes. `unknown`: applied by a later version whose files are
 * not here.
 */
export interface MigrationState {
  readonly name: string;
  readonly state: 'applied' | 'pending' | 'changed' | 'unfinished' | 'resumable' | 'unknown';
  /** When it was applied, or started if unfinished. */
  readonly at?: Date;
}

/** A row in the history that was not rolled back. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly startedAt: Date;
  /** Null if it was started but did not finish. */
  readonly finishedAt: Date | null;
}

/** The table that Prisma's migrate command created and used up to version 0.1.0, kept for existing databases. */
const TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) NOT NULL PRIMARY KEY,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/** Reads the history; empty without its table. Throws a MigrationError if the role may not read it. */
export async function readHistory(session: ClientBase): Promise<AppliedMigration[]> {
  const { rows: found } = await session.query<{ role: string; readable: boolean }>(
    `SELECT current_user AS role, has_table_privilege(to_regclass('_prisma_migrations'), 'SELECT') AS readable
      WHERE to_regclass('_prisma_migrations') IS NOT NULL`,
  );
  const [history] = found;
  if (!history) return [];
  if (!history.readable)
    throw new MigrationError(
      `the role ${history.role} may not read the history of migrations: run the migrate command of this version as the owner with SSS_RUNTIME_ROLE=${history.role}`,
    );
  const { rows } = await session.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, started_at AS "startedAt", finished_at AS "finishedAt"
       FROM _prisma_migrations WHERE rolled_back_at IS NULL
      ORDER BY finished_at NULLS FIRST, started_at`,
  );
  return rows;
}

export async function makeHistory(session: ClientBase): Promise<void> {
  await session.query(TABLE);
}

export async function recordStart(session: ClientBase, { name, checksum }: Migration): Promise<void> {
  await session.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ($1, $2, $3, clock_timestamp())`,
    [randomUUID(), checksum, name],
  );
}

export async function recordEnd(session: ClientBase, { name }: Migration): Promise<void> {
  await session.query(
    `UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE ${OPEN}`,
    [name],
  );
}

/** Marks a failed migration that left nothing behind, so that the next run applies it again. */
export async function recordFailure(session: ClientBase, { name }: Migration): Promise<void> {
  await session.query(`UPDATE _prisma_migrations SET rolled_back_at = clock_timestamp() WHERE ${OPEN}`, [
    name,
  ]);
}

const OPEN = 'migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL';

/** Returns the state of every migration in the files or the history, ordered by name. */
export function compareWithHistory(
  migrations: readonly Migration[],
  history: readonly AppliedMigration[],
): MigrationState[] {
  const rows = new Map(history.map((row) => [row.name, row]));
  const known = migrations.map((migration) => stateOf(migration, rows.get(migration.name)));
  const names = new Set(migrations.map(({ name }) => name));
  const unknown = [...rows.values()]
    .filter(({ name }) => !names.has(name))
    // These belong to another release and may be in progress. An index build by that release must not keep processes of
    // this release from starting.
    .map(({ name, startedAt, finishedAt }) => ({
      name,
      state: 'unknown' as const,
      at: finishedAt ?? startedAt,
    }));
  return [...known, ...unknown].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function stateOf({ name, checksum, index }: Migration, row: AppliedMigration | undefined): MigrationState {
  if (!row) return { name, state: 'pending' };
  if (!row.finishedAt) {
    const state = index && row.checksum === checksum ? 'resumable' : 'unfinished';
    return { name, state, at: row.startedAt };
  }
  return { name, state: row.checksum === checksum ? 'applied' : 'changed', at: row.finishedAt };
}

/** Throws a MigrationError for the first migration that needs review by a person. */
export function refuseConflicts(states: readonly MigrationState[]): void {
  for (const { name, state, at } of states) {
    if (state === 'changed')
      throw new MigrationError(
        `migration ${name} was changed after it was applied at ${at?.toISOString()}: restore its file, and make the change in a new migration`,
      );
    if (state === 'unfinished')
      throw new MigrationError(
        `migration ${name} was started at ${at?.toISOString()} and did not finish. If its changes are in the database, set finished_at in its row of _prisma_migrations. Otherwise set rolled_back_at, and it will be applied again`,
      );
  }
}
