import type pg from 'pg';
import { MAX_SET, type WorkRow, type WorkSource } from './work.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** Waits before a failed row is retried, in seconds; one that fails after the last is parked. */
const RETRY_AFTER_S = [1, 5, 15, 45];
/** How long a deferred row is left alone. */
const DEFER_MS = 100;
/** Counts stop here: counting a backlog must not add to it. */
const MAX_COUNTED = 10_000;

/** Statements of one kind of work. */
export interface WorkQueue<Row extends WorkRow> {
  /** Locks up to `max` rows that are due, oldest first, skipping those that others have locked. */
  claim(tx: Sql, max: number): Promise<Row[]>;
  /** The same for one row; undefined when it is no longer due or locked by another. */
  claimOne(tx: Sql, id: string): Promise<Row | undefined>;
  /** Leaves rows for a later round. */
  defer(tx: Sql, ids: readonly string[]): Promise<void>;
  /** Notes that a row failed alone. Resolves to whether it is parked now. */
  fail(pool: Sql, id: string, reason: string): Promise<boolean>;
  /** The backlog: how many rows are due (up to 10,000), how long the first has been, in seconds, and how many are parked. */
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

/** A row that staff must look at. */
export interface ParkedRow {
  readonly id: string;
  readonly attempts: number;
  /** What failed: the kind of error and its place, and no data of the row. */
  readonly failure: string;
  readonly parkedAt: Date;
}

/** Parked rows of a table, those parked longest first; `after` is the last row of the page before. */
export async function parkedRows(
  pool: Sql,
  table: string,
  limit: number,
  after?: Pick<ParkedRow, 'id' | 'parkedAt'>,
): Promise<ParkedRow[]> {
  const { rows } = await pool.query<ParkedRow>({
    text: `SELECT id, work_attempts AS attempts, coalesce(work_failure, '') AS failure, work_parked_at AS "parkedAt"
             FROM ${table} WHERE work_parked_at IS NOT NULL
              AND ($2::timestamptz IS NULL OR (work_parked_at, id) > ($2::timestamptz, $3::uuid))
            ORDER BY work_parked_at, id LIMIT $1`,
    values: [limit, after?.parkedAt ?? null, after?.id ?? null],
  });
  return rows;
}

/** Makes parked rows due again at once, as if they had never failed. Resolves to the ids of those that were parked. */
export async function releaseParked(pool: Sql, table: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    text: `UPDATE ${table} SET work_parked_at = NULL, work_attempts = 0, work_failure = NULL, work_due_at = clock_timestamp()
            WHERE id = ANY($1::uuid[]) AND work_parked_at IS NOT NULL RETURNING id`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}
