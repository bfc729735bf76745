import { runInContext } from '../request-context/index.ts';

/** How items are grouped. */
export interface GroupOptions<Item, Result> {
  /** Maximum of items in one group. */
  readonly maxGroup: number;
  /** Maximum of items that may wait; one more is refused. */
  readonly maxQueue: number;
  /** How many groups may be under way at once. */
  readonly lanes: number;
  /**
   * The least time from the beginning of one group to that of the next, in milliseconds, unless 12 items wait: they are
   * as good as a full group. None by default. What comes after a pause never waits.
   */
  readonly beatMs?: number;
  /**
   * Does one group's work in one commit, outside the context of any item; returns results in the order of the items.
   */
  readonly flush: (items: Item[]) => Promise<Result[]>;
  /** Whether, after this error, the items of the group are flushed again one by one, so that a bad item fails alone. */
  readonly runAloneAfter?: (error: unknown) => boolean;
  /** Makes the error for a full queue. */
  readonly overloaded: () => Error;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (cause: unknown) => void;
}

/** Beyond it a larger group saves little for each item. */
const ENOUGH = 12;

/**
 * Commits concurrent items in groups: those of one turn of the event loop go together, those that come while every lane
 * is busy, or before the next beat, form the next group. A pause costs nothing, and under load one commit serves many.
 * When a group fails, its items are flushed again one by one where `runAloneAfter` says so; else each fails with the same
 * error.
 */
export function groupCommit<Item, Result>(
  options: GroupOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { maxGroup, maxQueue, lanes, beatMs = 0 } = options;
  const queue: Waiting<Item, Result>[] = [];
  let busy = 0;
  let begunAt = Number.NEGATIVE_INFINITY;
  let endOfTurn: NodeJS.Immediate | undefined;
  let nextBeat: NodeJS.Timeout | undefined;

  function arrange(): void {
    if (endOfTurn || queue.length === 0 || busy >= lanes) return;
    const restMs = queue.length >= ENOUGH ? 0 : begunAt + beatMs - performance.now();
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
    begunAt = performance.now();
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
