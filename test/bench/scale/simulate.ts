import { percentile } from '../statistics.ts';

/** Without waiting for the next beat, a step begins once this many items wait. */
const ENOUGH = 12;
/** How long after the load the last submissions may be done, as a share of its duration. */
const LATE_SHARE = 0.1;

const LOAD_GENERATOR = 'load generator';

/** CPU in milliseconds: of each set, and of each submission in it. */
export interface Cost {
  readonly setMs: number;
  readonly itemMs: number;
}

/** A step of a submission. It works in sets: what has come in is done together. */
export interface Step {
  readonly name: string;
  /** What works on a set, one after the other. */
  readonly work: readonly (Cost & { readonly by: string })[];
  /** Time of a set that needs no CPU, such as a commit. */
  readonly waitMs: number;
  /** Minimum time between two sets, unless enough items wait. */
  readonly beatMs: number;
  /** Sets at the same time. */
  readonly lanes: number;
  readonly maxSet: number;
  readonly next: readonly string[];
}

export interface Installation {
  readonly cores: number;
  readonly steps: readonly Step[];
  /** The cores that a process can use: 1 by default, because a Node process has one thread. */
  readonly threads?: Readonly<Record<string, number>>;
  /** CPU in milliseconds a second, whatever the load. */
  readonly idleMs: number;
  /** CPU of the load generator for a submission, on the same cores but not counted; none by default. */
  readonly loadGeneratorMs?: number;
}

export interface Simulated {
  /** CPU of a submission, in milliseconds. */
  readonly cpuMs: number;
  /** Milliseconds from a submission's arrival to the end of a step, for half of them. */
  readonly medianMs: (step: string) => number;
  /** The sets of each step. */
  readonly sets: ReadonlyMap<string, number>;
  /** Whether all were done soon after the last had arrived. */
  readonly isSustained: boolean;
}

interface Task {
  readonly by: string;
  readonly ms: number;
  readonly finish: () => void;
}

/**
 * Simulates submissions that arrive at a steady rate. Work is done in order of arrival, on as many cores as there are,
 * and on as many as its process can use.
 */
export function simulate(installation: Installation, perSecond: number, seconds: number): Simulated {
  const { cores, steps, threads = {}, idleMs, loadGeneratorMs = 0 } = installation;
  const count = Math.round(perSecond * seconds);
  const { at, add, runAll } = schedule();
  let [freeCores, cpuMs] = [cores, 0];
  const busy = new Map<string, number>();
  const tasks: Task[] = [];
  const state = new Map(
    steps.map((step) => [
      step.name,
      {
        step,
        waiting: [] as number[],
        running: 0,
        startedAt: Number.NEGATIVE_INFINITY,
        isDue: false,
        sets: 0,
      },
    ]),
  );
  const doneAt = new Map(steps.map(({ name }) => [name, new Float64Array(count)]));

  function startTasks(): void {
    for (let index = 0; index < tasks.length && freeCores > 0; ) {
      const task = tasks[index] as Task;
      const running = busy.get(task.by) ?? 0;
      if (running >= (threads[task.by] ?? 1)) {
        index += 1;
        continue;
      }
      tasks.splice(index, 1);
      freeCores -= 1;
      cpuMs += task.ms;
      busy.set(task.by, running + 1);
      add(at() + task.ms, () => {
        freeCores += 1;
        busy.set(task.by, (busy.get(task.by) ?? 1) - 1);
        task.finish();
        startTasks();
      });
    }
  }

  function arrive(name: string, items: readonly number[]): void {
    state.get(name)?.waiting.push(...items);
    begin(name);
  }

  function begin(name: string): void {
    const current = state.get(name);
    if (!current || current.waiting.length === 0 || current.running >= current.step.lanes) return;
    const { step, waiting } = current;
    const due = current.startedAt + step.beatMs;
    if (waiting.length < ENOUGH && due > at()) {
      if (!current.isDue)
        add(due, () => {
          current.isDue = false;
          begin(name);
        });
      current.isDue = true;
      return;
    }
    const items = waiting.splice(0, step.maxSet);
    current.running += 1;
    current.sets += 1;
    current.startedAt = at();
    const finish = () => {
      const done = doneAt.get(name);
      if (done) for (const item of items) done[item] = at();
      current.running -= 1;
      for (const next of step.next) arrive(next, items);
      begin(name);
    };
    const workOn = (index: number): void => {
      const part = step.work[index];
      if (part) {
        const ms = part.setMs + part.itemMs * items.length;
        tasks.push({ by: part.by, ms, finish: () => workOn(index + 1) });
        startTasks();
      } else add(at() + step.waitMs, finish);
    };
    workOn(0);
    begin(name);
  }

  const arrivesAt = (item: number) => (item * 1_000) / perSecond;
  const [first] = steps;
  if (!first) throw new Error('there are no steps');
  for (let item = 0; item < count; item += 1)
    add(arrivesAt(item), () => {
      tasks.push({ by: LOAD_GENERATOR, ms: loadGeneratorMs, finish: () => arrive(first.name, [item]) });
      startTasks();
    });
  runAll();

  return {
    cpuMs: cpuMs / count - loadGeneratorMs + idleMs / perSecond,
    medianMs: (name) =>
      percentile(
        [...(doneAt.get(name) ?? [])].map((done, item) => done - arrivesAt(item)),
        0.5,
      ),
    sets: new Map([...state].map(([name, { sets }]) => [name, sets])),
    isSustained: at() <= seconds * 1_000 * (1 + LATE_SHARE),
  };
}

/** Runs actions in the order of their times. */
function schedule() {
  const heap: { at: number; order: number; act: () => void }[] = [];
  let [now, order] = [0, 0];
  const isBefore = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]];
    return a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order));
  };
  const swap = (one: number, other: number) =>
    heap.splice(one, 1, ...heap.splice(other, 1, heap[one] as (typeof heap)[0]));
  return {
    at: () => now,
    add(at: number, act: () => void): void {
      heap.push({ at, order: order++, act });
      for (let child = heap.length - 1; child > 0; ) {
        const parent = (child - 1) >> 1;
        if (!isBefore(child, parent)) break;
        swap(child, parent);
        child = parent;
      }
    },
    runAll(): void {
      while (heap.length > 0) {
        swap(0, heap.length - 1);
        const { at, act } = heap.pop() as (typeof heap)[0];
        for (let parent = 0; ; ) {
          const [left, right] = [2 * parent + 1, 2 * parent + 2];
          const child = isBefore(right, left) ? right : left;
          if (!isBefore(child, parent)) break;
          swap(parent, child);
          parent = child;
        }
        now = at;
        act();
      }
    },
  };
}
