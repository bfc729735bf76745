// SQL, because rows are claimed in sets, by the database's clock.
import type pg from 'pg';
import type { RetryDelays } from './retry-delays.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** Counts are capped, so that counting a backlog does not add to it. */
const MAX_COUNTED = 10_000;

/** A table whose rows have the columns `due_at`, `attempts`, `failure` and `parked_at`. */
interface QueueTable {
  readonly table: string;
  /** What the names of the columns begin with; empty by default. */
  readonly prefix?: string;
  readonly delays: RetryDelays;
}

/** Rows to work on, whether due or not. */
export interface PendingRows {
  /** In the names of statements. */
  readonly name: string;
  /** The columns to read; the table's alias is `w`. */
  readonly columns: string;
  /** `<table> w … WHERE …`. Its parameters start at `$2`. */
  readonly pending: string;
  /** The order of a partial index that serves `pending`, such as `w.due_at, w.id`. */
  readonly order: string;
  /** The aliases whose rows are locked: all that `pending` depends on; `w` by default. */
  readonly locks?: string;
}

/** A claimed row, with the number of attempts that have failed. */
type Claimed<Row> = Row & { readonly attempts: number };

/** A condition on rows of the table, with the values of its parameters, which start at `$1`. */
interface Condition {
  readonly where: string;
  readonly values: readonly unknown[];
}

export interface Backlog {
  /** Up to 10,000. */
  readonly due: number;
  /** How long the oldest has been due; 0 if none is. */
  readonly oldestSeconds: number;
  /** Up to 10,000. */
  readonly parked: number;
}

/**
 * Returns the statements of a queue. A row is due from `due_at`. After a failure it is due again later, and once the
 * delays are used up it is parked: nothing claims it until staff release it.
 */
export function queueOf({ table, prefix = '', delays }: QueueTable) {
  const [dueAt, attempts, parkedAt] = [`${prefix}due_at`, `${prefix}attempts`, `${prefix}parked_at`];
  const isDue = `w.${parkedAt} IS NULL AND w.${dueAt} <= clock_timestamp()`;
  return {
    /** Locks up to `max` due rows in their order, skipping locked rows. */
    async claim<Row extends object>(
      tx: Sql,
      { name, columns, pending, order, locks = 'w' }: PendingRows,
      max: number,
      ...values: readonly unknown[]
    ): Promise<Claimed<Row>[]> {
      const { rows } = await tx.query<Claimed<Row>>({
        name: `claim-${name}`,
        text: `SELECT ${columns}, w.${attempts} AS attempts FROM ${pending} AND ${isDue} ORDER BY ${order} LIMIT $1
                  FOR NO KEY UPDATE OF ${locks} SKIP LOCKED`,
        values: [max, ...values],
      });
      return rows;
    },
    /** Locks one row; resolves to undefined if it is no longer due or is locked. */
    async claimOne<Row extends object>(
      tx: Sql,
      { name, columns, pending, locks = 'w' }: PendingRows,
      id: string,
    ): Promise<Claimed<Row> | undefined> {
      const { rows } = await tx.query<Claimed<Row>>({
        name: `claim-one-${name}`,
        text: `SELECT ${columns}, w.${attempts} AS attempts FROM ${pending} AND ${isDue} AND w.id = $1 FOR NO KEY UPDATE OF ${locks} SKIP LOCKED`,
        values: [id],
      });
      return rows[0];
    },
    /** Makes rows due later without counting an attempt. */
    async defer(tx: Sql, ids: readonly string[], ms: number): Promise<void> {
      if (ids.length === 0) return;
      await tx.query({
        name: `defer-${table}`,
        text: `UPDATE ${table} SET ${dueAt} = clock_timestamp() + $2 * interval '1 ms' WHERE id = ANY($1::uuid[])`,
        values: [ids, ms],
      });
    },
    /**
     * Records a failed attempt of a row that was claimed after `failed` others, once for each claim. Parks the row if it
     * `isFinal` or was the last attempt, and resolves to whether it is parked.
     */
    async fail(
      sql: Sql,
      { where, values }: Condition,
      { failed, reason, isFinal = false }: { failed: number; reason: string; isFinal?: boolean },
    ): Promise<boolean> {
      const [before, failure, seconds] = [1, 2, 3].map((place) => `$${values.length + place}`);
      const delay = `(${seconds}::int[])[${before}::int + 1]`;
      const { rows } = await sql.query<{ parked: boolean }>({
        text: `UPDATE ${table}
                  SET ${attempts} = ${before}::int + 1, ${prefix}failure = ${failure},
                      ${dueAt} = clock_timestamp() + coalesce(${delay}, 0) * interval '1 second',
                      ${parkedAt} = CASE WHEN ${delay} IS NULL THEN clock_timestamp() END
                WHERE ${where} AND ${attempts} = ${before}::int AND ${parkedAt} IS NULL
               RETURNING ${parkedAt} IS NOT NULL AS parked`,
        values: [...values, failed, reason, isFinal ? [] : delays.seconds],
      });
      return rows[0]?.parked ?? false;
    },
    /** Makes parked rows due immediately, with all attempts again. Resolves to the `returned` column of those rows. */
    async release(sql: Sql, { where, values }: Condition, returned: string): Promise<string[]> {
      const { rows } = await sql.query<{ id: string }>({
        text: `UPDATE ${table} SET ${parkedAt} = NULL, ${attempts} = 0, ${dueAt} = clock_timestamp()
                WHERE ${where} AND ${parkedAt} IS NOT NULL RETURNING ${returned} AS id`,
        values: [...values],
      });
      return rows.map(({ id }) => id);
    },
    async measure(sql: Sql, { name, pending, order }: PendingRows): Promise<Backlog> {
      const { rows } = await sql.query<Backlog>({
        name: `measure-${name}`,
        text: `SELECT (SELECT count(*)::int FROM (SELECT FROM ${pending} AND ${isDue} LIMIT ${MAX_COUNTED}) AS d) AS due,
                      greatest(0, (SELECT extract(epoch FROM clock_timestamp() - w.${dueAt})::float8
                                     FROM ${pending} AND ${isDue} ORDER BY ${order} LIMIT 1)) AS "oldestSeconds",
                      (SELECT count(*)::int FROM (SELECT FROM ${pending} AND w.${parkedAt} IS NOT NULL
                                                   LIMIT ${MAX_COUNTED}) AS p) AS parked`,
      });
      return rows[0] ?? { due: 0, oldestSeconds: 0, parked: 0 };
    },
  };
}
