// What the runner of tests leaves out, set up once in each of its processes: nothing waits without a bound, and a clock
// that tests turn knows all of jest's ways to do so.
import { ModernFakeTimers } from '@jest/fake-timers';
import { addEventHandler } from 'jest-circus';

/** Waits in tests have bounds of their own, below this one. */
const TEST_MS = 60_000;
/** How many times what was asked for is given: a bound ends what would never end, and on a busy machine a slow test is no failed one. */
const ROOM = 4;

/** What files asked for instead, by their paths. */
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

// Two calls that are to be refused, begun together, are awaited one after the other: the second is no reason to end the
// process, and with it the tests of others.
process.on('unhandledRejection', (reason) => console.error('a promise was rejected unseen:', reason));

// Taken before a test may put a clock of its own in their place.
const { setTimeout, clearTimeout } = globalThis;

async function withinMs(fn, ms) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([fn(), late]);
  } finally {
    clearTimeout(timer);
  }
}
