import type { BatchResult, BatchResults } from '@supplier/proto/submission/v1/staff_batches';

/**
 * Maximum items per call. Such a call takes a third of a second, or a second beside three others. The time limit is ten
 * seconds.
 */
export const BATCH = 100;

/** The results of a batch, as far as they were received. */
export interface BatchRun {
  readonly results: readonly BatchResult[];
  /** Why the rest has no results. */
  readonly failure?: unknown;
}

/**
 * Sends a hundred items per call, one call after the other, and reports progress. When a call fails, earlier results
 * are kept and no further call is made. Rejects when the first call fails.
 */
export async function runInBatches<Item>(
  items: readonly Item[],
  send: (batch: Item[]) => Promise<BatchResults>,
  onProgress: (answered: number) => void,
): Promise<BatchRun> {
  const results: BatchResult[] = [];
  for (let from = 0; from < items.length; from += BATCH)
    try {
      const answer = await send(items.slice(from, from + BATCH));
      results.push(...answer.results);
      onProgress(results.length);
    } catch (failure) {
      if (results.length === 0) throw failure;
      return { results, failure };
    }
  return { results };
}

/** Returns whether the action was done. */
export const isDone = ({ outcome }: BatchResult): boolean => outcome.case === 'done';

/** Returns the results by outcome, and how many of all items have no result. */
export const byOutcome = (results: readonly BatchResult[], all: number) => ({
  done: results.filter(isDone),
  notDone: results.filter((result) => !isDone(result)),
  unknown: all - results.length,
});
