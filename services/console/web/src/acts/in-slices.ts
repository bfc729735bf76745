import type { BatchResult, BatchResults } from '@supplier/proto/submission/v1/staff_batches';
import { isLoggedOut } from '../calls.ts';
import { sessionIsOver } from '../session.ts';

/** The most that one call takes: a third of a second, and a second beside three others, where a service has ten to answer. */
export const SLICE = 100;

/** What became of several, as far as it was answered. */
export interface BatchAnswer {
  readonly results: readonly BatchResult[];
  /** Why the rest has no answer. */
  readonly failure?: unknown;
}

/**
 * Asks for a hundred at a time, one call after the other, and tells how many are answered. What was answered before a call fails
 * is not lost, and nothing is asked for after it. Rejects when the first call fails.
 */
export async function askInSlices<Item>(
  items: readonly Item[],
  ask: (slice: Item[]) => Promise<BatchResults>,
  tell: (answered: number) => void,
): Promise<BatchAnswer> {
  const results: BatchResult[] = [];
  for (let from = 0; from < items.length; from += SLICE)
    try {
      const answer = await ask(items.slice(from, from + SLICE));
      results.push(...answer.results);
      tell(results.length);
    } catch (failure) {
      if (results.length === 0) throw failure;
      if (isLoggedOut(failure)) sessionIsOver();
      return { results, failure };
    }
  return { results };
}
