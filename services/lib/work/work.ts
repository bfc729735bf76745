import type pg from 'pg';

/** A row that is waiting for work. */
export interface WorkRow {
  readonly id: string;
  /** The `traceparent` of what made the row, where its table keeps that: what follows from it goes on in that trace. */
  readonly trace_parent?: string | null;
}

/**
 * Where the rows lie. The table has the columns `work_due_at`, `work_attempts`, `work_failure` and `work_parked_at`, and
 * a partial index serves `pending` in the order `order`.
 */
export interface WorkSource {
  readonly table: string;
  /** What a row is read by; the table's alias is `w`. */
  readonly columns: string;
  /** `<table> w … WHERE …`: what is pending, whether due or not. */
  readonly pending: string;
  /** `w.work_due_at, w.id`, or what else the partial index is ordered by. */
  readonly order: string;
  /** The aliases whose rows are locked: all that `pending` depends on; `w` unless given. */
  readonly locks?: string;
}

/** What became of a set, besides what was committed. */
export interface WorkResult {
  /** Rows that could not be done yet through no fault of their own: left for a later round, without an attempt spent. */
  readonly deferred?: readonly string[];
  /** Runs once the set is committed. */
  readonly afterCommit?: () => void;
}

/** One kind of work of a service. */
export interface Work<Row extends WorkRow> {
  /** As logs and metrics name it. */
  readonly name: string;
  readonly source: WorkSource;
  /** Sets that one process works on at a time. */
  readonly lanes: number;
  /** Does all of it in `tx`, or throws, and then nothing is done. `rows` are locked, oldest first, at most 64. */
  run(tx: pg.PoolClient, rows: readonly Row[]): Promise<WorkResult>;
}

/** How many rows one set has at most. */
export const MAX_SET = 64;
