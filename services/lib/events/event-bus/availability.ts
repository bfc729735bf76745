import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { isCausedByDependency } from '../../data/dependency/index.ts';
import { inTransaction } from '../../data/postgres/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** The result of work: done, failed through its own fault, or abandoned because the process stops. */
export type Attempt<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'stopping' };

/** A transaction that could not begin is never the fault of the work. */
class TransactionNotStarted extends Error {
  override readonly name = 'TransactionNotBegun';
}

/** Creates functions that run work whenever its dependencies are available. */
export function availability(
  process: ServiceProcess,
  pool: pg.Pool,
  fields: { readonly consumer: string; readonly entry: 'stream' | 'retries' },
) {
  const { log, stopping } = process;
  let unavailable = false;

  async function isUnavailable(error: unknown): Promise<boolean> {
    return error instanceof TransactionNotStarted || isCausedByDependency(error, pool);
  }

  function note(isNow: boolean, err?: unknown): void {
    if (isNow && !unavailable) log.warn({ err, ...fields }, 'dependency unavailable');
    if (!isNow && unavailable) log.info(fields, 'dependency available again');
    unavailable = isNow;
  }

  /** Retries `work` with growing pauses while a dependency is unavailable, logged once. Never rejects. */
  async function whenAvailable<Value>(work: () => Promise<Value>): Promise<Attempt<Value>> {
    for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        const value = await work();
        note(false);
        return { kind: 'done', value };
      } catch (error) {
        if (!(await isUnavailable(error))) {
          note(false);
          return { kind: 'failed', error };
        }
        note(true, error);
      }
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return { kind: 'stopping' };
    }
  }

  async function begin<Value>(work: (tx: pg.PoolClient) => Promise<Value>): Promise<Value> {
    let started = false;
    try {
      return await inTransaction(pool, (tx) => {
        started = true;
        return work(tx);
      });
    } catch (error) {
      throw started ? error : new TransactionNotStarted('transaction could not start', { cause: error });
    }
  }

  /** Runs `work` in one transaction, with the same retries. */
  const transaction = <Value>(work: (tx: pg.PoolClient) => Promise<Value>) =>
    whenAvailable(() => begin(work));
  return { whenAvailable, transaction };
}
