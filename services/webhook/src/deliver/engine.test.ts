import { setTimeout as delay } from 'node:timers/promises';
import { eventually, forAllTests } from '@supplier/lib/testing';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import {
  recordDue,
  recorded,
  type Script,
  startTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts';
import { openTestService } from '../../testing/test-service.ts';
import { claimAttempts } from './queue.sql.ts';
import { databaseQueue } from './start-delivery.ts';

/** Everything that Jest can fake. */
const jestFakes = [
  ...([
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
  ] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/** Far more than any test needs, so that a busy machine does not make one run into the next. */
const LIMIT_MS = 30_000;
const after = (time: Date | null | undefined, ms: number) => new Date((time?.getTime() ?? Number.NaN) + ms);

let engines: TestEngine[] = [];
const service = forAllTests(() => openTestService());
beforeEach(async () => {
  await service.pool.query('TRUNCATE endpoint CASCADE');
});
afterEach(async () => {
  await Promise.all(engines.map(({ delivery }) => delivery.stop()));
  engines = [];
});

function start(script: Script, overrides: Parameters<typeof startTestEngine>[2] = {}): TestEngine {
  const engine = startTestEngine(service, script, overrides);
  engines.push(engine);
  return engine;
}

async function oneEvent(): Promise<{ endpointId: EndpointId; eventId: EventId }> {
  const endpoint = await service.createEndpoint();
  const [eventId] = await recordDue(service, endpoint, 1);
  if (!eventId) throw new Error('nothing was recorded');
  return { endpointId: endpoint.endpointId, eventId };
}

function hangUntilTold(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
}

describe('event delivery', () => {
  it('starts as soon as it is woken, and ends with the first success', async () => {
    const endpoint = await service.createEndpoint();
    const { endpointId } = endpoint;
    const results: ('timeout' | undefined)[] = ['timeout', undefined];
    // A poll would also find what is due, so none comes before the test has timed out.
    const engine = start(() => results.shift(), { bounds: { pollMs: 600_000 } });
    await engine.polls(1);
    const [eventId] = await recordDue(service, endpoint, 1);
    if (!eventId) throw new Error('nothing was recorded');
    const stateIs = async (state: string, count: number) => {
      for (;;) {
        const event = await recorded(service, eventId);
        if (event.state === state && event.attemptCount === count && !event.leaseUntil) return;
        await delay(5);
      }
    };
    engine.delivery.wake(endpointId);
    await stateIs('pending', 1);
    await service.passTime(15_000);
    engine.delivery.wake(endpointId);
    await stateIs('delivered', 2);
    const [laterId] = await recordDue(service, endpoint, 1);
    engine.delivery.wake(endpointId);
    // A claim takes the longest-due events first.
    await eventually('a later event is attempted', () =>
      engine.attempts.some((attempt) => attempt.eventId === laterId),
    );
    expect(engine.attempts.map((attempt) => attempt.eventId)).toEqual([eventId, eventId, laterId]);
  });

  it('counts an attempt that could not be made', async () => {
    const { eventId } = await oneEvent();
    const engine = start(() => {
      throw new Error('the key of a sealed value is not in the ring');
    });
    await engine.until(() => engine.attempts.length === 1);
    await engine.until(async () => (await recorded(service, eventId)).nextAttemptAt !== null);
    const event = await recorded(service, eventId);
    expect(event).toMatchObject({ attemptCount: 1, attempts: [{ errorClass: 'interrupted' }] });
    expect(event.nextAttemptAt).toEqual(after(event.attempts[0]?.endedAt, 15_000));
  });

  it('continues on schedule after a worker died during an attempt', async () => {
    const { endpointId, eventId } = await oneEvent();
    const [claimed] = await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 1_000);
    await service.passTime(1_000 - LIMIT_MS);
    const engine = start(() => undefined);
    await engine.polls(3);
    expect(engine.attempts).toHaveLength(0);
    await service.passTime(LIMIT_MS + 1);
    await engine.until(async () => (await recorded(service, eventId)).nextAttemptAt !== null);
    const started = after(claimed?.startedAt, -1_001);
    expect(await recorded(service, eventId)).toMatchObject({
      nextAttemptAt: after(started, 15_000),
      attemptCount: 1,
      attempts: [{ startedAt: started, endedAt: after(started, 1_000) }],
    });
    await service.passTime(14_000);
    await engine.until(async () => (await recorded(service, eventId)).state === 'delivered');
    expect((await recorded(service, eventId)).attempts).toMatchObject([
      { number: 1, errorClass: 'interrupted' },
      { number: 2, errorClass: null, statusCode: 200 },
    ]);
  });

  it('waits for its own late attempt instead of considering it lost', async () => {
    const { eventId } = await oneEvent();
    const answer = Promise.withResolvers<undefined>();
    const engine = start(() => answer.promise);
    await engine.until(() => engine.attempts.length === 1);
    await service.passTime(60_000);
    await engine.polls(3);
    answer.resolve(undefined);
    await engine.until(async () => (await recorded(service, eventId)).state === 'delivered');
    expect((await recorded(service, eventId)).attempts).toHaveLength(1);
  });

  it.each([-3_600_000, 3_600_000])(
    "follows the database's clock even if the worker's clock is off by %i ms",
    async (offMs) => {
      const endpoint = await service.createEndpoint();
      const { endpointId } = endpoint;
      const [eventId] = await recordDue(service, endpoint, 1);
      if (!eventId) throw new Error('nothing was recorded');
      const doNotFake = jestFakes.filter((name) => name !== 'Date');
      jest.useFakeTimers({ now: Date.now() + offMs, doNotFake });
      try {
        const results: ('timeout' | undefined)[] = ['timeout', undefined];
        const engine = start(() => results.shift());
        await engine.until(async () => {
          const { attemptCount, nextAttemptAt } = await recorded(service, eventId);
          return attemptCount === 1 && nextAttemptAt !== null;
        });
        const first = await recorded(service, eventId);
        const elapsedMs = Number(await service.now()) - Number(first.attempts[0]?.startedAt);
        expect(elapsedMs).toBeGreaterThanOrEqual(0);
        expect(elapsedMs).toBeLessThan(LIMIT_MS);
        expect(first.nextAttemptAt).toEqual(after(first.attempts[0]?.endedAt, 15_000));
        await engine.polls(3);
        expect(engine.attempts).toHaveLength(1);
        await service.passTime(15_000);
        await engine.until(async () => (await recorded(service, eventId)).state === 'delivered');

        // An attempt that another worker claimed a moment ago is not considered lost.
        await engine.delivery.stop();
        const [other] = await recordDue(service, endpoint, 1);
        await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 10 * LIMIT_MS);
        const next = start(() => undefined);
        await next.polls(3);
        expect([engine.attempts.length, next.attempts.length]).toEqual([2, 0]);
        expect(await recorded(service, other as EventId)).toMatchObject({ attemptCount: 1, attempts: [] });
      } finally {
        jest.useRealTimers();
      }
    },
  );

  it('happens once when several workers share the queue', async () => {
    const endpoint = await service.createEndpoint();
    const { accountId } = endpoint;
    const eventIds = await recordDue(service, endpoint, 60);
    const [one, two] = [start(() => undefined), start(() => undefined)];
    await one.until(
      async () => (await service.db.event.count({ where: { accountId, state: 'delivered' } })) === 60,
    );
    const attempted = [...one.attempts, ...two.attempts].map(({ eventId }) => eventId);
    expect(attempted.toSorted()).toEqual(eventIds.toSorted());
    expect(await service.db.attempt.count()).toBe(60);
  });
});

describe('concurrent endpoints', () => {
  it('are not delayed by others that hang, and a hanging one holds one place', async () => {
    const dead = new Set<EndpointId>();
    for (let index = 0; index < 10; index += 1) {
      const endpoint = await service.createEndpoint();
      dead.add(endpoint.endpointId);
      await recordDue(service, endpoint, 3);
    }
    const healthy = await service.createEndpoint();
    await recordDue(service, healthy, 20);
    const engine = start(({ endpointId }, signal) =>
      dead.has(endpointId) ? hangUntilTold(signal) : undefined,
    );
    await engine.until(
      async () =>
        (await service.db.event.count({
          where: { endpointId: healthy.endpointId, state: 'delivered' },
        })) === 20,
    );
    expect(engine.attempts.filter(({ endpointId }) => dead.has(endpointId))).toHaveLength(10);
  });

  it.each([
    { perEndpoint: 3, total: 48, failing: 24, unproven: 36 },
    { perEndpoint: 8, total: 4, failing: 2, unproven: 3 },
  ])('never exceed the limits on concurrent attempts per endpoint and in total: %j', async (bounds) => {
    const underWay = new Map<EndpointId, number>();
    let peak = 0;
    let mostInAll = 0;
    let inAll = 0;
    for (let index = 0; index < 6; index += 1) {
      await recordDue(service, await service.createEndpoint(), 15);
    }
    const engine = start(
      async ({ endpointId }) => {
        underWay.set(endpointId, (underWay.get(endpointId) ?? 0) + 1);
        inAll += 1;
        peak = Math.max(peak, underWay.get(endpointId) ?? 0);
        mostInAll = Math.max(mostInAll, inAll);
        await delay(3);
        underWay.set(endpointId, (underWay.get(endpointId) ?? 0) - 1);
        inAll -= 1;
        return undefined;
      },
      { bounds },
    );
    await engine.until(async () => (await service.db.event.count({ where: { state: 'delivered' } })) === 90);
    expect(peak).toBe(Math.min(bounds.perEndpoint, Math.max(1, Math.floor(bounds.total / 8))));
    expect(mostInAll).toBeLessThanOrEqual(bounds.total);
  });
});

describe('stopping', () => {
  it('lets attempts in progress finish, and claims no more', async () => {
    await recordDue(service, await service.createEndpoint(), 2);
    const answer = Promise.withResolvers<undefined>();
    const engine = start(() => answer.promise);
    await engine.until(() => engine.attempts.length === 1);
    const stopped = engine.delivery.stop();
    setTimeout(() => answer.resolve(undefined), 50);
    await stopped;
    expect(engine.attempts).toHaveLength(1);
    expect(await service.db.event.count({ where: { state: 'delivered' } })).toBe(1);
    expect(await service.db.event.count({ where: { leaseUntil: { not: null } } })).toBe(0);
  });

  it('records attempts that exceed the stop time as interrupted, and leaves no lease', async () => {
    const { eventId } = await oneEvent();
    const engine = start((_claimed, signal) => hangUntilTold(signal));
    await engine.until(() => engine.attempts.length === 1);
    await engine.delivery.stop();
    const event = await recorded(service, eventId);
    expect(event).toMatchObject({
      state: 'pending',
      leaseUntil: null,
      attempts: [{ errorClass: 'interrupted' }],
    });
    expect(event.nextAttemptAt).toEqual(after(event.attempts[0]?.endedAt, 15_000));
  });
});

describe('while the database is unavailable', () => {
  const unavailable = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it('an outcome is kept until it can be recorded', async () => {
    const { eventId } = await oneEvent();
    let refusals = 3;
    const { settle } = databaseQueue(service.pool);
    const engine = start(() => undefined, {
      queue: { settle: (outcomes) => (refusals-- > 0 ? Promise.reject(unavailable()) : settle(outcomes)) },
    });
    await engine.until(async () => (await recorded(service, eventId)).state === 'delivered');
    expect(engine.attempts).toHaveLength(1);
  });

  it('nothing is attempted, and delivery resumes automatically when it is available again', async () => {
    const { eventId } = await oneEvent();
    let refusals = 4;
    const { claim } = databaseQueue(service.pool);
    const engine = start(() => undefined, {
      queue: {
        claim: (requests, leaseMs) =>
          refusals-- > 0 ? Promise.reject(unavailable()) : claim(requests, leaseMs),
      },
    });
    await engine.until(async () => (await recorded(service, eventId)).state === 'delivered');
    expect(engine.attempts).toHaveLength(1);
  });

  it('an outcome that the database rejects does not affect others', async () => {
    const eventIds = await recordDue(service, await service.createEndpoint(), 3);
    const { settle } = databaseQueue(service.pool);
    const engine = start(() => undefined, {
      queue: {
        settle: (outcomes) =>
          outcomes.some(({ eventId }) => eventId === eventIds[0])
            ? Promise.reject(new Error('violates a constraint'))
            : settle(outcomes),
      },
    });
    await engine.until(async () => (await service.db.event.count({ where: { state: 'delivered' } })) === 2);
    expect(engine.lines.map(({ msg }) => msg)).toContain('recording an outcome failed');
  });
});
