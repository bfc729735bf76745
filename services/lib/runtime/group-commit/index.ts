import { runInContext } from '../request-context/index.ts';

export interface GroupOptions<Item, Result> {
  readonly maxGroup: number;
  /** Maximum number of waiting items; further ones are rejected. */
  readonly maxQueue: number;
  readonly lanes: number;
  /** Minimum time between two groups, unless 12 items wait or a pause preceded. None by default. */
  readonly beatMs?: number;
  /** Does a group's work in one commit, outside any item's context; results are in order. */
  readonly flush: (items: Item[]) => Promise<Result[]>;
  /** Returns whether, after this error, to flush the items of the group one by one, so that only a bad item fails. */
  readonly runAloneAfter?: (error: unknown) => boolean;
  readonly overloaded: () => Error;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (cause: unknown) => void;
}

/** Beyond this size, a larger group saves little per item. */
const ENOUGH = 12;

/**
 * Commits concurrent items in groups. Items of the same event-loop tick go together; items that arrive while every lane
 * is busy, or before the next beat, form the next group. The first item after a pause goes immediately, and under load
 * one commit serves many. When a group fails, its items are flushed again one by one if `runAloneAfter` returns true;
 * otherwise each fails with the same error.
 */
export function groupCommit<Item, Result>(
  options: GroupOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { maxGroup, maxQueue, lanes, beatMs = 0 } = options;
  const queue: Waiting<Item, Result>[] = [];
  let busy = 0;
  let startedAt = Number.NEGATIVE_INFINITY;
  let endOfTurn: NodeJS.Immediate | undefined;
  let nextBeat: NodeJS.Timeout | undefined;

  function arrange(): void {
    if (endOfTurn || queue.length === 0 || busy >= lanes) return;
    const restMs = queue.length >= ENOUGH ? 0 : startedAt + beatMs - performance.now();
    if (restMs <= 0) endOfTurn = setImmediate(begin);
    else nextBeat ??= setTimeout(begin, restMs);
  }

  function begin(): void {
    clearImmediate(endOfTurn);
    clearTimeout(nextBeat);
    endOfTurn = undefined;
    nextBeat = undefined;
    if (queue.length > 0 && busy < lanes) void run();
    arrange();
  }

  async function run(): Promise<void> {
    busy += 1;
    startedAt = performance.now();
    try {
      await flushGroup(queue.splice(0, maxGroup));
    } finally {
      busy -= 1;
      arrange();
    }
  }

  async function flushGroup(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await options.flush(group.map(({ item }) => item));
      if (results.length !== group.length)
        throw new Error('flush returned a different number of results than items');
      group.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      if (group.length > 1 && options.runAloneAfter?.(error)) {
        for (const one of group) await flushGroup([one]);
        return;
      }
      for (const { reject } of group) reject(error);
    }
  }

  return (item) => {
    if (queue.length >= maxQueue) return Promise.reject(options.overloaded());
    const result = new Promise<Result>((resolve, reject) => {
      queue.push({ item, resolve, reject });
    });
    runInContext(undefined, arrange);
    return result;
  };
}
