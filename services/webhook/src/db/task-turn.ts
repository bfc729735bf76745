import type { Pool } from 'pg';
import { NOW } from './database.ts';

/** A turn at a task that one replica does for all. */
export interface TaskTurn {
  /** By the database's clock. */
  readonly now: Date;
  /** Up to when the task has been done; undefined before its first turn. */
  readonly doneUntil: Date | undefined;
}

/**
 * Takes the next turn at the task, unless a replica has taken one within `everyMs`. Nobody needs to give it back: whoever
 * dies in its turn leaves the next to the others.
 */
export async function takeTurn(pool: Pool, task: string, everyMs: number): Promise<TaskTurn | undefined> {
  const { rows } = await pool.query<{ now: Date; done_until: Date | null }>(
    `INSERT INTO "task_turn" AS "t" ("task", "next_at") VALUES ($1, ${NOW} + $2 * interval '1 millisecond')
     ON CONFLICT ("task") DO UPDATE SET "next_at" = excluded."next_at" WHERE "t"."next_at" <= ${NOW}
     RETURNING ${NOW} AS "now", "done_until"`,
    [task, everyMs],
  );
  const [row] = rows;
  return row && { now: row.now, doneUntil: row.done_until ?? undefined };
}

/** Notes up to when the task has been done. */
export async function noteDone(pool: Pool, task: string, doneUntil: Date): Promise<void> {
  await pool.query('UPDATE "task_turn" SET "done_until" = $2 WHERE "task" = $1', [task, doneUntil]);
}
