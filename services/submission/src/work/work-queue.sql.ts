// SQL, because rows are claimed in sets, by the database's clock.
import type pg from 'pg';
import { MAX_SET, type WorkRow, type WorkSource } from './work.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** Delays before a failed row is retried, in seconds. A row that fails after the last is parked. */
const RETRY_AFTER_S = [1, 5, 15, 45];
/** The delay before a deferred row is due again. */
const DEFER_MS = 100;
/** Counts are capped, so that counting a backlog does not add to it. */
const MAX_COUNTED = 10_000;

/** The statements of one kind of work. */
export interface WorkQueue<Row extends WorkRow> {
  /** Locks up to `max` due rows, oldest first, skipping locked rows. */
  claim(tx: Sql, max: number): Promise<Row[]>;
  /** Locks one row; returns undefined if it is no longer due or is locked. */
  claimOne(tx: Sql, id: string): Promise<Row | undefined>;
  /** Leaves rows for a later round. */
  defer(tx: Sql, ids: readonly string[]): Promise<void>;
  /** Records the failure of a single row. Resolves to whether it is now parked. */
  fail(pool: Sql, id: string, reason: string): Promise<boolean>;
  /** Returns the due rows (up to 10,000), the age of the oldest in seconds, and the parked rows. */
  measure(pool: Sql): Promise<{ due: number; oldestSeconds: number; parked: number }>;
}

export function workQueue<Row extends WorkRow>(name: string, source: WorkSource): WorkQueue<Row> {
  const { table, columns, pending, order, locks = 'w' } = source;
  const due = `FROM ${pending} AND w.work_parked_at IS NULL AND w.work_due_at <= clock_timestamp()`;
  return {
    async claim(tx, max) {
      const { rows } = await tx.query<Row>({
        name: `claim-${name}`,
        text: `SELECT ${columns} ${due} ORDER BY ${order} LIMIT $1 FOR NO KEY UPDATE OF ${locks} SKIP LOCKED`,
        values: [Math.min(max, MAX_SET)],
      });
      return rows;
    },
    async claimOne(tx, id) {
      const { rows } = await tx.query<Row>({
        name: `claim-one-${name}`,
        text: `SELECT ${columns} ${due} AND w.id = $1 FOR NO KEY UPDATE OF ${locks} SKIP LOCKED`,
        values: [id],
      });
      return rows[0];
    },
    async defer(tx, ids) {
      if (ids.length === 0) return;
      await tx.query({
        name: `defer-${table}`,
        text: `UPDATE ${table} SET work_due_at = clock_timestamp() + interval '${DEFER_MS} ms' WHERE id = ANY($1::uuid[])`,
        values: [ids],
      });
    },
    async fail(pool, id, reason) {
      const { rows } = await pool.query<{ parked: boolean }>({
        name: `fail-${table}`,
        text: `UPDATE ${table}
                  SET work_attempts = work_attempts + 1, work_failure = $2,
                      work_due_at = clock_timestamp() + ($3::int[])[work_attempts + 1] * interval '1 second',
                      work_parked_at = CASE WHEN work_attempts >= ${RETRY_AFTER_S.length} THEN clock_timestamp() END
                WHERE id = $1 RETURNING work_parked_at IS NOT NULL AS parked`,
        values: [id, reason, [...RETRY_AFTER_S, RETRY_AFTER_S.at(-1)]],
      });
      return rows[0]?.parked ?? false;
    },
    async measure(pool) {
      const { rows } = await pool.query<{ due: number; oldest: number; parked: number }>({
        name: `measure-${name}`,
        text: `SELECT (SELECT count(*)::int FROM (SELECT ${due} LIMIT ${MAX_COUNTED}) AS d) AS due,
                      coalesce((SELECT extract(epoch FROM clock_timestamp() - w.work_due_at)::float8 ${due}
                                 ORDER BY ${order} LIMIT 1), 0) AS oldest,
                      (SELECT count(*)::int FROM (SELECT FROM ${pending} AND w.work_parked_at IS NOT NULL
                                                   LIMIT ${MAX_COUNTED}) AS p) AS parked`,
      });
      const [row] = rows;
      return { due: row?.due ?? 0, oldestSeconds: Math.max(0, row?.oldest ?? 0), parked: row?.parked ?? 0 };
    },
  };
}

/** Makes parked rows due immediately and resets their failures. Resolves to the ids that were parked. */
export async function releaseParked(pool: Sql, table: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    text: `UPDATE ${table} SET work_parked_at = NULL, work_attempts = 0, work_failure = NULL, work_due_at = clock_timestamp()
            WHERE id = ANY($1::uuid[]) AND work_parked_at IS NOT NULL RETURNING id`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}
