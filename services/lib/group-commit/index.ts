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

/**
 * Commits concurrent items in groups without a timer: an item that finds a free lane starts at once, alone; items that
 * come while every lane is busy form the next group. An idle service pays no delay, a busy one pays one commit for many.
 * When a group fails, its items are flushed again one by one where `runAloneAfter` says so; else each fails with the same
 * error.
 */
export function groupCommit<Item, Result>(
  options: GroupOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const queue: Waiting<Item, Result>[] = [];
  let busy = 0;

  async function run(): Promise<void> {
    busy += 1;
    try {
      while (queue.length > 0) await flushGroup(queue.splice(0, options.maxGroup));
    } finally {
      busy -= 1;
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
    if (queue.length >= options.maxQueue) return Promise.reject(options.overloaded());
    const result = new Promise<Result>((resolve, reject) => {
      queue.push({ item, resolve, reject });
    });
    if (busy < options.lanes) void runInContext(undefined, run);
    return result;
  };
}
