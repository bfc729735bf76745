import { createLogger } from '@supplier/lib/runtime/log';
import { createTestDatabase, type TestDatabase } from '@supplier/lib/testing';
import { deleteExpired, type LimitsPool } from './db/limit-window.ts';
import type { Limit, Verdict } from './limit.ts';
import { SharedLimiter } from './shared-limiter.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema: '' });
});
afterAll(() => database?.close());

let keys = 0;
const limitOf = (max: number): Limit => ({ key: `shared-${++keys}`, max, windowMs: 60_000 });
const passing = async (checks: (Verdict | Promise<Verdict> | undefined)[]) =>
  (await Promise.all(checks)).filter((verdict) => verdict?.passes).length;

/** Longer than any test, so that a busy machine is not mistaken for a hanging store. */
const NO_DEADLINE_MS = 2 ** 31 - 1;
/** The start of a slice, far enough ahead that nothing expires by the store's own clock. */
const BASE = Date.UTC(2100, 0, 1);

/** Opens a limiter on the test's store; statements call `broken` instead of the store if it is set. */
async function open(deadlineMs = NO_DEADLINE_MS, clock = () => BASE) {
  const lines: string[] = [];
  const state = { statements: 0, broken: undefined as undefined | (() => Promise<never>) };
  const pool = {
    query: (...call: unknown[]) => {
      state.statements += 1;
      return state.broken ? state.broken() : Reflect.apply(database.pool.query, database.pool, call);
    },
  } as LimitsPool;
  const log = createLogger('test', 'info', { write: (line) => lines.push(line) });
  const limiter = new SharedLimiter({
    pool,
    log,
    deadlineMs,
    maintenanceDeadlineMs: NO_DEADLINE_MS,
    monotonicMs: clock,
    storeMs: clock,
  });
  await limiter.maintain();
  return { limiter, state, lines };
}

describe('gateways that share a store', () => {
  it('pass exactly the allowance between them for a thousand concurrent requests', async () => {
    const gateways = await Promise.all([open(), open(), open()]);
    const limit = limitOf(100);
    const checks = Array.from({ length: 999 }, (_, i) => gateways[i % 3]?.limiter.check(limit));
    expect(await passing(checks)).toBe(100);
    expect(gateways.map(({ limiter }) => limiter.isShared)).toEqual([true, true, true]);
  });

  it('do not deadlock when they check the same keys in different orders', async () => {
    const gateways = await Promise.all([open(), open()]);
    for (let round = 0; round < 5; round += 1) {
      const limits = Array.from({ length: 400 }, () => limitOf(1));
      const checks = gateways.flatMap(({ limiter }, g) =>
        (g === 0 ? limits : limits.toReversed()).map((limit) => limiter.check(limit)),
      );
      expect(await passing(checks)).toBe(400);
    }
    expect(gateways.map(({ limiter }) => limiter.isShared)).toEqual([true, true]);
  });

  it('send one query per beat for creates in the same step, separate from reads and from the next step', async () => {
    const { limiter, state } = await open();
    const check = async (step: Limit['step']) => limiter.check({ ...limitOf(10), step });
    await check('address');
    state.statements = 0;
    const gathering = [check('address'), check('address')];
    await Promise.all([check(undefined), check('credential'), ...gathering]);
    expect(state.statements).toBe(3);
  });

  it('create the table once when they start together', async () => {
    const other = await createTestDatabase({ schema: '' });
    try {
      const log = createLogger('test', 'error');
      const limiters = Array.from(
        { length: 8 },
        () => new SharedLimiter({ pool: other.pool, log, maintenanceDeadlineMs: NO_DEADLINE_MS }),
      );
      await Promise.all(limiters.map((limiter) => limiter.maintain()));
      expect(limiters.every((limiter) => limiter.isShared)).toBe(true);
    } finally {
      await other.close();
    }
  });
});

it.each([
  ['rising', [3, 10]],
  ['falling', [10, 3]],
])('checks of one key that arrive together use the smaller of two allowances: %s', async (_, allowances) => {
  const { limiter } = await open();
  const limit = limitOf(10);
  const checks = Array.from({ length: 24 }, (__, at) =>
    limiter.check({ ...limit, max: allowances[at % 2] ?? 0 }),
  );
  expect(await passing(checks)).toBe(3);
});

describe('the cost of a check', () => {
  it('is one statement for any number of concurrent checks', async () => {
    const { limiter, state } = await open();
    state.statements = 0;
    await passing(Array.from({ length: 400 }, () => limiter.check(limitOf(1))));
    expect(state.statements).toBe(1);
  });

  it('is zero for a key that was just refused', async () => {
    const { limiter, state } = await open();
    const limit = limitOf(1);
    await limiter.check(limit);
    state.statements = 0;
    const verdict = await limiter.check(limit);
    expect(verdict).toMatchObject({ passes: false });
    expect(state.statements).toBe(0);
  });
});

describe('a busy key far from its limit', () => {
  const PER_SECOND = 200;
  /** Thousands of sequential statements. */
  const SLOW_MS = 60_000;
  const ALLOWANCE = 3_200;

  /** Opens two gateways on one clock; `aSecondOf` sends a second of evenly spread requests to one of them. */
  async function busyGateways() {
    let now = BASE;
    const gateways = await Promise.all([open(NO_DEADLINE_MS, () => now), open(NO_DEADLINE_MS, () => now)]);
    const limit = limitOf(ALLOWANCE);
    const aSecondOf = async (gateway: number, perSecond = PER_SECOND) => {
      let passed = 0;
      for (let at = 0; at < perSecond; at += 1) {
        if ((await gateways[gateway]?.limiter.check(limit))?.passes) passed += 1;
        now += 1_000 / perSecond;
      }
      return passed;
    };
    const statements = () => gateways.reduce((sum, { state }) => sum + state.statements, 0);
    const used = async () => {
      const { rows } = await database.pool.query('SELECT used FROM limit_window WHERE key = $1', [limit.key]);
      return Number(rows[0]?.used);
    };
    return { gateways, limit, aSecondOf, statements, used, clock: { by: (ms: number) => (now += ms) } };
  }

  it(
    'reserves many places at a time and returns unused ones',
    async () => {
      const { aSecondOf, statements, used, gateways, clock } = await busyGateways();
      await aSecondOf(0);
      const before = statements();
      for (let second = 0; second < 5; second += 1) expect(await aSecondOf(0)).toBe(PER_SECOND);
      expect(statements() - before).toBeLessThan((5 * PER_SECOND) / 5);
      expect(await used()).toBeGreaterThanOrEqual(6 * PER_SECOND);
      expect(await used()).toBeLessThanOrEqual(6 * PER_SECOND * 1.05);
      clock.by(1_000);
      await gateways[0]?.limiter.maintain();
      expect(await used()).toBe(6 * PER_SECOND);
    },
    SLOW_MS,
  );

  it(
    'passes exactly its allowance across all gateways',
    async () => {
      const { aSecondOf, gateways, limit, clock } = await busyGateways();
      let passed = 0;
      for (let second = 0; second < 8; second += 1) passed += await aSecondOf(second % 2);
      expect(passed).toBe(8 * PER_SECOND);
      clock.by(1_000);
      for (const { limiter } of gateways) await limiter.maintain();
      const checks = Array.from({ length: ALLOWANCE }, (_, at) => gateways[at % 2]?.limiter.check(limit));
      passed += await passing(checks);
      expect(passed).toBe(ALLOWANCE);
    },
    SLOW_MS,
  );

  it(
    'stops returning places at the first failure, so that a hanging store delays maintenance once',
    async () => {
      let now = BASE;
      const { limiter, state, lines } = await open(NO_DEADLINE_MS, () => now);
      const limits = [limitOf(ALLOWANCE), limitOf(ALLOWANCE)];
      await limiter.maintain();
      for (let at = 0; at < 2 * PER_SECOND - 5; at += 1) {
        for (const limit of limits) await limiter.check(limit);
        now += 1_000 / PER_SECOND;
      }
      now += 1_000;
      state.statements = 0;
      state.broken = () => Promise.reject(new Error('no'));
      await limiter.maintain();
      expect(state.statements).toBe(1);
      expect(lines.filter((line) => line.includes('unused reservations not returned'))).toHaveLength(1);
    },
    SLOW_MS,
  );

  it(
    'keeps reserved places no longer than the slice in which they were counted',
    async () => {
      const { aSecondOf, limit, gateways, statements, clock } = await busyGateways();
      await aSecondOf(0);
      await aSecondOf(0);
      const check = () => gateways[0]?.limiter.check(limit);
      await check();
      const before = statements();
      await check();
      expect(statements()).toBe(before);
      clock.by(1_000);
      await check();
      expect(statements()).toBe(before + 1);
    },
    SLOW_MS,
  );

  it(
    'reserves nothing after a quiet moment or once half of its allowance is used',
    async () => {
      const { aSecondOf, statements, clock } = await busyGateways();
      for (let second = 0; second < 8; second += 1) await aSecondOf(0);
      let before = statements();
      await aSecondOf(0, 100);
      expect(statements() - before).toBe(100);
      clock.by(61_000);
      before = statements();
      await aSecondOf(0, 100);
      expect(statements() - before).toBe(100);
    },
    SLOW_MS,
  );

  it(
    'uses no place that it reserved before its store was lost',
    async () => {
      const { aSecondOf, gateways, limit } = await busyGateways();
      const [{ limiter, state }] = gateways;
      await aSecondOf(0);
      await aSecondOf(0);
      // A place is reserved: a check needs no statement.
      for (state.statements = 1; state.statements > 0; ) {
        state.statements = 0;
        await limiter.check(limit);
      }
      state.broken = () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
      await limiter.check(limitOf(1));
      expect(limiter.isShared).toBe(false);
      state.broken = undefined;
      await limiter.maintain();
      state.statements = 0;
      await limiter.check(limit);
      expect(state.statements).toBe(1);
    },
    SLOW_MS,
  );
});

describe('SharedLimiter without its store', () => {
  it('limits per process immediately, logs it once and shares again when the store is back', async () => {
    const { limiter, state, lines } = await open();
    const limit = limitOf(5);
    state.broken = () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
    expect(await passing(Array.from({ length: 20 }, () => limiter.check(limit)))).toBe(5);
    await limiter.maintain();
    await limiter.maintain();
    expect(limiter.isShared).toBe(false);
    expect(await limiter.check(limit)).toMatchObject({ passes: false });
    expect(lines.filter((line) => line.includes('limiting per process'))).toHaveLength(1);

    state.broken = undefined;
    await limiter.maintain();
    expect(limiter.isShared).toBe(true);
    state.statements = 0;
    expect(await limiter.check(limit)).toEqual({ passes: true });
    expect(state.statements).toBe(1);
  });

  it('waits for a hanging store once and briefly, regardless of the number of requests', async () => {
    const { limiter, state } = await open(400);
    state.broken = () => new Promise<never>(() => {});
    state.statements = 0;
    const limit = limitOf(30);
    const checks = Array.from({ length: 1_500 }, () => limiter.check(limit));
    expect(await passing(checks)).toBe(30);
    expect(state.statements).toBe(1);
  });

  it('limits per process when the table is missing, and recreates it', async () => {
    const { limiter } = await open();
    await database.pool.query('DROP TABLE limit_window');
    expect(await limiter.check(limitOf(1))).toEqual({ passes: true });
    expect(limiter.isShared).toBe(false);
    await limiter.maintain();
    expect(limiter.isShared).toBe(true);
  });
});

describe('deleteExpired', () => {
  it('deletes expired rows and no others', async () => {
    const { limiter } = await open();
    const limit = limitOf(9);
    await limiter.check(limit);
    await database.pool.query(
      `INSERT INTO limit_window SELECT 'old-' || n, 0, '{}', 0, 0, 1, now() - interval '1 s' FROM generate_series(1, 2500) n`,
    );
    expect(await deleteExpired(database.pool)).toBe(2_500);
    const { rows } = await database.pool.query('SELECT key FROM limit_window WHERE key = $1', [limit.key]);
    expect(rows).toHaveLength(1);
  });
});
