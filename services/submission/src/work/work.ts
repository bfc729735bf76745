import { type PendingRows, queueOf } from '@supplier/lib/data/queues';
import type pg from 'pg';

export interface WorkRow {
  readonly id: string;
  /**
   * The `traceparent` of the operation that created the row, if the table stores it. Work on the row continues that
   * trace.
   */
  readonly trace_parent?: string | null;
}

/** The source of the rows. The table has the columns `work_due_at`, `work_attempts`, `work_failure` and `work_parked_at`. */
export interface WorkSource extends Omit<PendingRows, 'name'> {
  readonly table: string;
}

/** The result of a set, besides the committed changes. */
export interface WorkResult {
  /** Rows that cannot be processed yet but did not fail. They are retried later without counting an attempt. */
  readonly deferred?: readonly string[];
  readonly afterCommit?: () => void;
}

/** One kind of work of a service. */
export interface Work<Row extends WorkRow> {
  /** The name in logs and metrics. */
  readonly name: string;
  readonly source: WorkSource;
  /** The number of sets that one process works on concurrently. */
  readonly lanes: number;
  /** Does all of the work in `tx`, or throws to roll it back. `rows` are locked, oldest first, at most 64. */
  run(tx: pg.PoolClient, rows: readonly Row[]): Promise<WorkResult>;
}

/** The maximum number of rows in a set. */
export const MAX_SET = 64;

export const workQueue = (table: string) =>
  queueOf({ table, prefix: 'work_', delays: { seconds: [1, 5, 15, 45], repeatsLast: false } });
