import { LRUCache } from 'lru-cache';
import { KEPT_SLICES } from './db/limit-window.ts';
import { type Limit, PASSES, type Verdict } from './limit.ts';
import { retryAfterMs, sliceMsOf } from './sliding-window.ts';

interface Window {
  newest: number;
  counts: number[];
  used: number;
}

/** Beyond this number of keys, the least recently used one starts again. */
const MAX_KEYS = 20_000;

/**
 * Limits the requests that this process sees; the window equals the shared store's, so that only the scope differs.
 * `nowMs` must not go back. Implements docs/contract.md, section 9, where no store is set or the store is unavailable.
 */
export function inProcessLimiter(nowMs: () => number = () => performance.now()): (limit: Limit) => Verdict {
  const windows = new LRUCache<string, Window>({ max: MAX_KEYS });
  return ({ key, max, windowMs }) => {
    const now = nowMs();
    const sliceMs = sliceMsOf(windowMs);
    const window = advance(windows.get(key), Math.floor(now / sliceMs));
    windows.set(key, window);
    if (window.used >= max) {
      return { passes: false, retryMs: retryAfterMs(window, max, sliceMs, now) };
    }
    window.counts[KEPT_SLICES - 1] = (window.counts[KEPT_SLICES - 1] ?? 0) + 1;
    window.used += 1;
    return PASSES;
  };
}

function advance(window: Window | undefined, newest: number): Window {
  const steps = window ? newest - window.newest : KEPT_SLICES;
  if (!window || steps >= KEPT_SLICES) {
    return { newest, counts: new Array<number>(KEPT_SLICES).fill(0), used: 0 };
  }
  if (steps <= 0) return window;
  window.used -= window.counts.splice(0, steps).reduce((sum, count) => sum + count, 0);
  for (let step = 0; step < steps; step += 1) window.counts.push(0);
  window.newest = newest;
  return window;
}
