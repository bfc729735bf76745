import type pg from 'pg';

/** A row that is waiting for work. */
export interface WorkRow {
  readonly id: string;
  /**
   * The `traceparent` of what created the row, where its table keeps that: what the row causes continues that trace.
   */
  readonly trace_parent?: string | null;
}

/**
 * Where the rows are. The table has the columns `work_due_at`, `work_attempts`, `work_failure` and `work_parked_at`,
 * and a partial index serves `pending` in the order `order`.
 */
export interface WorkSource {
  readonly table: string;
  /** The columns to read; the table's alias is `w`. */
  readonly columns: string;
  /** `<table> w … WHERE …`: what is pending, whether due or not. */
  readonly pending: string;
  /** `w.work_due_at, w.id`, or another order of the partial index. */
  readonly order: string;
  /** The aliases whose rows are locked: all that `pending` depends on; `w` unless given. */
  readonly locks?: string;
}

/** The result of a set, besides what was committed. */
export interface WorkResult {
  /** Rows that cannot be processed yet, without being at fault: left for a later round, without spending an attempt. */
  readonly deferred?: readonly string[];
  /** Runs once the set is committed. */
  readonly afterCommit?: () => void;
}

/** One kind of work of a service. */
export interface Work<Row extends WorkRow> {
  /** Its name in logs and metrics. */
  readonly name: string;
  readonly source: WorkSource;
  /** Sets that one process works on at a time. */
  readonly lanes: number;
  /** Does all of the work in `tx`, or throws, which rolls it back. `rows` are locked, oldest first, at most 64. */
  run(tx: pg.PoolClient, rows: readonly Row[]): Promise<WorkResult>;
}

/** How many rows one set has at most. */
export const MAX_SET = 64;
