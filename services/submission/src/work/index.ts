import { isCausedByDependency } from '@supplier/lib/data/dependency';
import { inOpenedTransaction, inTransaction } from '@supplier/lib/data/postgres';
import type { PendingRows } from '@supplier/lib/data/queues';
import { failureReason } from '@supplier/lib/runtime/log';
import { sharedCounter } from '@supplier/lib/runtime/metrics';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type OpenSet, openSet } from '@supplier/lib/runtime/tracing';
import { type Wakeable, wakeable } from '@supplier/lib/runtime/wakeable';
import type pg from 'pg';
import { measureWork } from './measure-work.ts';
import { MAX_SET, type Work, type WorkRow, workQueue } from './work.ts';

export type { Work, WorkResult, WorkRow, WorkSource } from './work.ts';
export { workQueue } from './work.ts';

/** The delay until the process finds work that another process created or that is due again. */
const POLL_MS = 1_000;
/** Deferred rows are due again after 100 ms. */
const AFTER_DEFERRAL_MS = 200;
const DEFER_MS = 100;
const UNAVAILABLE_PAUSE_MS = [100, 250, 500, 1_000, 2_000];
/** After this many consecutive failures the rows are probably not the cause, so process one at a time with pauses. */
const FAILURES_IN_A_ROW = 64;
const SLOW_PAUSE_MS = 10_000;

export interface Worker {
  /** Checks for work immediately. */
  wake(): void;
}

/**
 * Processes one kind of work until the process stops, in sets of up to 64 rows; rows that arrive while a set commits
 * form the next one. A failed set runs again row by row, each in a separate transaction. A row that fails there is due
 * again after 1, 5, 15 and 45 s, and is then parked. While a dependency is unavailable, nothing is claimed and no
 * attempt is counted.
 */
export function startWork<Row extends WorkRow>(
  process: ServiceProcess,
  pool: pg.Pool,
  work: Work<Row>,
): Worker {
  const runner = new Runner(process, pool, work);
  const lanes = Array.from({ length: work.lanes }, () => wakeable(process.stopping));
  const done = Promise.all(lanes.map((lane) => keepWorking(process, runner, lane, wakeAll)));
  process.onStop(`work: ${work.name}`, async () => {
    await done;
  });

  /** Starts another lane only after a full set. Sets are then fuller, and one transaction costs less than two. */
  function wakeAll(): void {
    for (const lane of lanes) lane.wake();
  }
  return { wake: () => lanes[0]?.wake() };
}

async function keepWorking<Row extends WorkRow>(
  process: ServiceProcess,
  runner: Runner<Row>,
  lane: Wakeable,
  wakeOthers: () => void,
): Promise<void> {
  while (!process.stopping.aborted) {
    const { more, pauseMs } = await runner.runOnce();
    if (more) wakeOthers();
    else await lane.sleep(pauseMs);
  }
}

interface Claim {
  readonly id: string;
  readonly attempts: number;
}

/** State shared by the lanes of one kind of work. */
class Runner<Row extends WorkRow> {
  readonly #process: ServiceProcess;
  readonly #pool: pg.Pool;
  readonly #work: Work<Row>;
  readonly #rows: PendingRows;
  readonly #queue: ReturnType<typeof workQueue>;
  readonly #count: (outcome: 'done' | 'failed' | 'parked', by: number) => void;
  #pausesInARow = 0;
  #failuresInARow = 0;

  constructor(process: ServiceProcess, pool: pg.Pool, work: Work<Row>) {
    this.#process = process;
    this.#pool = pool;
    this.#work = work;
    this.#rows = { ...work.source, name: work.name };
    this.#queue = workQueue(work.source.table);
    measureWork(process.metrics, work.name, () => this.#queue.measure(pool, this.#rows));
    const counter = sharedCounter(process.metrics, {
      name: 'sss_work_rows_total',
      help: 'Rows that this process has worked on, by kind of work and outcome.',
      labelNames: ['work', 'outcome'] as const,
    });
    for (const outcome of ['done', 'failed', 'parked']) counter.inc({ work: work.name, outcome }, 0);
    this.#count = (outcome, by) => counter.inc({ work: work.name, outcome }, by);
  }

  /** Processes one set. `more` is true if another may be waiting; otherwise pause unless woken. Never rejects. */
  async runOnce(): Promise<{ more: boolean; pauseMs: number }> {
    const claimed: Claim[] = [];
    const spans = new SetSpans();
    try {
      const max = this.#failuresInARow >= FAILURES_IN_A_ROW ? 1 : MAX_SET;
      const { rows, deferred, afterCommit } = await inOpenedTransaction(
        this.#pool,
        (tx) => this.#queue.claim<Row>(tx, this.#rows, max),
        (tx, found) => {
          claimed.push(...found);
          return this.#run(tx, found, spans);
        },
      );
      spans.end();
      this.#succeeded(rows - deferred);
      afterCommit?.();
      // Deferred rows do not justify another immediate check.
      return { more: rows === max && deferred < rows, pauseMs: deferred > 0 ? AFTER_DEFERRAL_MS : POLL_MS };
    } catch (err) {
      spans.end(err);
      if (claimed.length === 0 || (await isCausedByDependency(err, this.#pool)))
        return this.#unavailable(err);
      return this.#oneByOne(claimed, err);
    }
  }

  async #run(tx: pg.PoolClient, found: readonly Row[], spans: SetSpans) {
    if (found.length === 0) return { rows: 0, deferred: 0 };
    const { deferred = [], afterCommit } = await this.#work.run(tx, spans.open(this.#work, found));
    await this.#queue.defer(tx, deferred, DEFER_MS);
    return { rows: found.length, deferred: deferred.length, ...(afterCommit ? { afterCommit } : {}) };
  }

  /** Isolates a bad row, so that it fails separately. */
  async #oneByOne(set: readonly Claim[], cause: unknown): Promise<{ more: boolean; pauseMs: number }> {
    const [only] = set;
    if (set.length === 1 && only) return this.#failed(only, cause);
    this.#process.log.warn({ err: cause, work: this.#work.name, count: set.length }, 'work set failed');
    for (const { id } of set) {
      if (this.#process.stopping.aborted) break;
      let claimed: Claim | undefined;
      const spans = new SetSpans();
      try {
        const { rows, afterCommit } = await inTransaction(this.#pool, async (tx) => {
          const row = await this.#queue.claimOne<Row>(tx, this.#rows, id);
          claimed = row;
          return this.#run(tx, row ? [row] : [], spans);
        });
        spans.end();
        this.#succeeded(rows);
        afterCommit?.();
      } catch (err) {
        spans.end(err);
        // Failures before the row was claimed are not the row's fault.
        if (!claimed || (await isCausedByDependency(err, this.#pool))) return this.#unavailable(err);
        const { pauseMs, more } = await this.#failed(claimed, err);
        if (!more) return { more, pauseMs };
      }
    }
    return { more: true, pauseMs: POLL_MS };
  }

  async #failed({ id, attempts }: Claim, err: unknown): Promise<{ more: boolean; pauseMs: number }> {
    try {
      const only = { where: 'id = $1', values: [id] };
      const failure = { failed: attempts, reason: failureReason(err) };
      const parked = await this.#queue.fail(this.#pool, only, failure);
      this.#count(parked ? 'parked' : 'failed', 1);
      const fields = { err, work: this.#work.name, row_id: id };
      if (parked) this.#process.log.error(fields, 'row parked');
      else this.#process.log.warn(fields, 'row failed');
    } catch (cause) {
      return this.#unavailable(cause);
    }
    this.#failuresInARow += 1;
    if (this.#failuresInARow === FAILURES_IN_A_ROW) {
      this.#process.log.error({ work: this.#work.name }, 'work slowed down');
    }
    const slow = this.#failuresInARow >= FAILURES_IN_A_ROW;
    return { more: !slow, pauseMs: slow ? SLOW_PAUSE_MS : POLL_MS };
  }

  #succeeded(rows: number): void {
    if (this.#pausesInARow > 0)
      this.#process.log.info({ work: this.#work.name }, 'dependency available again');
    this.#pausesInARow = 0;
    if (rows === 0) return;
    this.#count('done', rows);
    if (this.#failuresInARow >= FAILURES_IN_A_ROW)
      this.#process.log.info({ work: this.#work.name }, 'work resumed');
    this.#failuresInARow = 0;
  }

  #unavailable(err: unknown): { more: boolean; pauseMs: number } {
    if (this.#pausesInARow === 0 && !this.#process.stopping.aborted) {
      this.#process.log.warn({ err, work: this.#work.name }, 'dependency unavailable');
    }
    const pauseMs =
      UNAVAILABLE_PAUSE_MS[Math.min(this.#pausesInARow, UNAVAILABLE_PAUSE_MS.length - 1)] ?? POLL_MS;
    this.#pausesInARow += 1;
    return { more: false, pauseMs };
  }
}

/** The spans of one set, until it commits or fails. */
class SetSpans {
  #set: OpenSet | undefined;

  /** Returns the rows, each continuing its own trace. */
  open<Row extends WorkRow>({ name, source }: Work<Row>, rows: readonly Row[]): readonly Row[] {
    const set = openSet(
      `${name} set`,
      { kind: 'internal', attributes: { 'sss.work': name, 'sss.set.size': rows.length } },
      () =>
        rows.map(({ id, trace_parent }) => ({
          parent: trace_parent ?? '',
          name,
          attributes: { 'sss.work': name, [`sss.${source.table}.id`]: id },
        })),
    );
    this.#set = set;
    if (!set) return rows;
    return rows.map((row, place) => ({ ...row, trace_parent: set.traceParents[place] ?? null }));
  }

  end(error?: unknown): void {
    this.#set?.end(error);
  }
}
