/**
 * Settles as `work` does, or after `ms` milliseconds with the outcome of `late`. A busy process checks again before it
 * is late. Late work continues, and its result is ignored.
 */
export async function within<Result, Late>(
  ms: number,
  work: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), ms);
  });
  try {
    return await Promise.race([work, end.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Deadlines are seconds, so coarse ticks are enough, and cheaper in a busy process. */
const TICK_MS = 100;

export interface Bounded {
  /** Ends the work because its time is up. Must not throw. */
  expire(): void;
}

const due = new Map<number, Set<Bounded>>();
let lastTick = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Expires `work` after `ms` milliseconds, up to 100 ms later, never earlier, unless cancelled first. Returns the tick to cancel it by. All
 * deadlines share one timer, which does not keep the process alive.
 */
export function startDeadline(work: Bounded, ms: number): number {
  const now = performance.now();
  if (!timer) {
    lastTick = Math.floor(now / TICK_MS);
    timer = setInterval(expireDue, TICK_MS).unref();
  }
  // A deadline that has passed would otherwise get a tick that is over.
  const tick = Math.max(Math.ceil((now + ms) / TICK_MS), lastTick);
  const others = due.get(tick);
  if (others) others.add(work);
  else due.set(tick, new Set([work]));
  return tick;
}

/** Cancels the deadline of work that ended in time. */
export function cancelDeadline(work: Bounded, tick: number): void {
  due.get(tick)?.delete(work);
}

function expireDue(): void {
  const now = Math.floor(performance.now() / TICK_MS);
  // Ticks that a busy process missed are caught up in order.
  for (; lastTick <= now; lastTick += 1) {
    const late = due.get(lastTick);
    if (!late) continue;
    due.delete(lastTick);
    for (const work of late) work.expire();
  }
  if (due.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
