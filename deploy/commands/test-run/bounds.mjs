// The settings that the test runner lacks, applied once in each of its processes: nothing waits without a timeout, and
// a test's fake clock supports all of jest's functions.
import { ModernFakeTimers } from '@jest/fake-timers';
import { addEventHandler } from 'jest-circus';

/** Waits in tests have their own timeouts, which are shorter than this one. */
const TEST_MS = 60_000;
/**
 * Multiplies each requested timeout: it must only stop what would never end, and a slow test on a busy machine must not
 * fail.
 */
const ROOM = 4;

/** The timeouts that files requested instead, by path. */
const askedMs = new Map();
const file = () => globalThis.expect.getState().testPath;
const clock = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });

Object.assign(globalThis.jest, {
  setTimeout: (ms) => void askedMs.set(file(), ms),
  useFakeTimers: (options) => clock.useFakeTimers(options),
  useRealTimers: () => clock.useRealTimers(),
  advanceTimersByTime: (ms) => clock.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => clock.advanceTimersByTimeAsync(ms),
});

addEventHandler(({ name }, { currentDescribeBlock }) => {
  const { children, hooks } = currentDescribeBlock;
  const added = { add_test: children, add_hook: hooks }[name]?.at(-1);
  if (!added?.fn) return;
  const { fn, timeout } = added;
  added.fn = () => withinMs(fn, ROOM * (timeout ?? askedMs.get(file()) ?? TEST_MS));
});

// Two calls that should be refused, started together, are awaited one after the other. The second rejection must not
// end the process, and other tests with it.
process.on('unhandledRejection', (reason) => console.error('unhandled promise rejection:', reason));

// A process whose run has ended or was interrupted ends, whatever its tests have left open.
process.once('disconnect', () => process.exit());

// Saved before a test may replace them with a fake clock.
const { setTimeout, clearTimeout } = globalThis;

async function withinMs(fn, ms) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${ms} ms`)), ms);
  });
  try {
    await Promise.race([fn(), late]);
  } finally {
    clearTimeout(timer);
  }
}
