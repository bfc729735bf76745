import { createLogger } from '@supplier/lib/runtime/log';
import { createTestDatabase, type TestDatabase } from '@supplier/lib/testing';
import { inProcessLimiter } from './in-process-limiter.ts';
import type { CheckLimit, Limit } from './limit.ts';
import { SharedLimiter } from './shared-limiter.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema: '' });
});
afterAll(() => database?.close());

interface Clocked {
  readonly check: CheckLimit;
  /** Moves the clock. */
  at(ms: number): void;
}

async function alone(): Promise<Clocked> {
  const clock = movableClock();
  const check = inProcessLimiter(clock.now);
  return { check: async (limit) => check(limit), at: clock.at };
}

async function shared(): Promise<Clocked> {
  const clock = movableClock();
  const log = createLogger('test', 'error');
  const limiter = new SharedLimiter({
    pool: database.pool,
    log,
    deadlineMs: 10_000,
    monotonicMs: clock.now,
    storeMs: clock.now,
  });
  await limiter.maintain();
  expect(limiter.isShared).toBe(true);
  return { check: limiter.check, at: clock.at };
}

function movableClock() {
  let now = 0;
  return {
    now: () => now,
    at: (ms: number) => {
      now = ms;
    },
  };
}

const BASE = 1_795_168_800_000;
let keys = 0;
const limitOf = (max: number): Limit => ({ key: `window-${++keys}`, max, windowMs: 60_000 });

describe.each([
  ['in the process', alone],
  ['in the store', shared],
])('a window %s', (_where, open) => {
  it('passes the allowance, refuses the next request and returns when one can pass again', async () => {
    const { check, at } = await open();
    const limit = limitOf(3);
    at(BASE);
    expect(await check(limit)).toEqual({ passes: true });
    at(BASE + 10_000);
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toEqual({ passes: false, retryMs: 51_000 });
    at(BASE + 60_999);
    expect(await check(limit)).toEqual({ passes: false, retryMs: 1 });
    at(BASE + 61_000);
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toEqual({ passes: false, retryMs: 10_000 });
    at(BASE + 71_000);
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toMatchObject({ passes: false });
  });

  it('never passes more than the allowance in any window, for any timing of requests', async () => {
    const { check, at } = await open();
    const limit = limitOf(7);
    const passed: number[] = [];
    let now = BASE;
    for (let step = 0; step < 400; step += 1) {
      now +=
        [0, 137, 900, 3_100, 20, 5_003, 61_000][(step * 7 + (step >> 3)) % (step % 50 === 49 ? 7 : 6)] ?? 0;
      at(now);
      if ((await check(limit)).passes) passed.push(now);
    }
    const worst = Math.max(
      ...passed.map((from) => passed.filter((t) => t >= from && t <= from + 60_000).length),
    );
    expect(worst).toBe(7);
  });

  it('counts keys separately and forgets a key after a long pause', async () => {
    const { check, at } = await open();
    const [one, other] = [limitOf(1), limitOf(1)];
    at(BASE);
    expect(await check(one)).toEqual({ passes: true });
    expect(await check(other)).toEqual({ passes: true });
    expect((await check(one)).passes).toBe(false);
    at(BASE + 86_400_000);
    expect(await check(one)).toEqual({ passes: true });
    expect((await check(one)).passes).toBe(false);
  });

  it('applies a raised or lowered allowance', async () => {
    const { check, at } = await open();
    const limit = limitOf(2);
    at(BASE);
    for (const passes of [true, true, false]) expect((await check(limit)).passes).toBe(passes);
    for (const passes of [true, true, false]) expect((await check({ ...limit, max: 4 })).passes).toBe(passes);
    at(BASE + 30_000);
    expect(await check({ ...limit, max: 1 })).toEqual({ passes: false, retryMs: 31_000 });
  });
});
