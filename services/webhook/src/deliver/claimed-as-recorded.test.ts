import { eventually } from '@supplier/lib/testing';
import { type AccountId, type EndpointId, newId } from '@supplier/lib/text/ids';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import {
  recordDue,
  recorded,
  type Script,
  startTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { databaseQueue } from './start-delivery.ts';

let service: TestService;
let engine: TestEngine;
let claims: number;
beforeEach(async () => {
  service = await openTestService();
  claims = 0;
});
afterEach(async () => {
  await engine?.delivery.stop();
  await service?.close();
});

/** Starts an engine that does not poll again, so that it delivers only what was passed to it. */
async function start(script: Script, bounds: Parameters<typeof startTestEngine>[2] = {}): Promise<void> {
  const queue = databaseQueue(service.pool);
  engine = startTestEngine(service, script, {
    bounds: { pollMs: 600_000, ...bounds.bounds },
    queue: {
      claim(...request) {
        claims += 1;
        return queue.claim(...request);
      },
    },
  });
  service.context.wakes.connect({ delivery: engine.delivery.wake, reserve: engine.delivery.reserve });
  await engine.polls(1);
}

async function changesOf(accountId: AccountId, count = 1) {
  const occurredAt = await service.now();
  return Array.from({ length: count }, () => statusChanged({ accountId, occurredAt }));
}

async function delivered(...changes: Awaited<ReturnType<typeof changesOf>>): Promise<void> {
  for (const { eventId } of changes) {
    while ((await recorded(service, eventId)).state !== 'delivered')
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const attempted = () => engine.attempts.map(({ eventId }) => eventId);

describe('event of an endpoint with nothing else waiting', () => {
  it('is claimed when it is recorded, with an attempt equal to a claimed one', async () => {
    await start(() => undefined);
    const activeFrom = new Date((await service.now()).getTime() - 1_000);
    const enabledTwice = async () => {
      const endpoint = await service.createEndpoint();
      await service.pool.query('UPDATE endpoint_activity SET active_until = active_from');
      await service.db.endpointActivity.create({ data: { endpointId: endpoint.endpointId, activeFrom } });
      return endpoint;
    };
    const { accountId, endpointId } = await enabledTwice();
    const [change] = await changesOf(accountId);
    if (!change) throw new Error('no change');
    await consume(service.context, change);
    await delivered(change);
    expect(claims).toBe(0);
    const event = await recorded(service, change.eventId);
    expect(event).toMatchObject({ attemptCount: 1, nextAttemptAt: null, leaseUntil: null });
    expect(event.attempts).toMatchObject([{ number: 1, statusCode: 200 }]);
    const again = await enabledTwice();
    const [eventId] = await recordDue(service, again, 1);
    engine.delivery.wake(again.endpointId);
    while (engine.attempts.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const [direct, claimed] = engine.attempts;
    expect(claimed?.eventId).toBe(eventId);
    expect(Object.keys(direct ?? {}).sort()).toEqual(
      expect.arrayContaining(Object.keys(claimed ?? {}).sort()),
    );
    expect(direct).toMatchObject({ endpointId, number: 1, url: 'https://receiver.test/', isErased: false });
    expect([direct?.activeSince, claimed?.activeSince]).toEqual([activeFrom, activeFrom]);
  });

  it('leaves the rest of its set to a claim when the endpoint reaches its limit', async () => {
    await start(() => undefined);
    const { accountId } = await service.createEndpoint();
    // An endpoint without a previous attempt gets one.
    const changes = await changesOf(accountId, 3);
    await consume(service.context, ...changes);
    await delivered(...changes);
    expect(attempted()[0]).toBe(changes[0]?.eventId);
    expect(claims).toBeGreaterThan(0);
  });
});

describe('event that must wait its turn', () => {
  it.each([
    [
      'others are due',
      (endpoint: { accountId: AccountId; endpointId: EndpointId }) => recordDue(service, endpoint, 1),
    ],
    [
      'the endpoint is disabled',
      ({ endpointId }: { endpointId: EndpointId }) =>
        service.pool.query('UPDATE endpoint SET enabled = false WHERE id = $1', [endpointId]),
    ],
  ])('is not claimed when it is recorded: %s', async (_why, arrange) => {
    await start(() => undefined);
    const endpoint = await service.createEndpoint();
    await arrange(endpoint);
    const [change] = await changesOf(endpoint.accountId);
    if (!change) throw new Error('no change');
    service.context.wakes.connect({ delivery: () => {} });
    await consume(service.context, change);
    expect(await recorded(service, change.eventId)).toMatchObject({ state: 'pending', attemptCount: 0 });
    expect(attempted()).toEqual([]);
  });
});

describe('reserved places', () => {
  it('count against the limits, and are released when the recording is abandoned', async () => {
    await start(() => undefined, { bounds: { leaseMs: 200 } });
    const { endpointId } = await service.createEndpoint();
    const reserved = () => engine.delivery.reserve(endpointId, 5).count;
    expect([reserved(), reserved()]).toEqual([1, 0]);
    await eventually('the place is released', () => reserved() === 1);
  });

  it('that are returned unused go to a due event at once', async () => {
    await start(() => undefined);
    const endpoint = await service.createEndpoint();
    const places = engine.delivery.reserve(endpoint.endpointId, 1);
    engine.delivery.wake(endpoint.endpointId);
    const [eventId] = await recordDue(service, endpoint, 1);
    expect(claims).toBe(0);
    places.begin([]);
    expect(claims).toBe(1);
    await engine.delivery.stop();
    expect(attempted()).toEqual([eventId]);
  });

  it('delay the stop of the process until their attempts are made and recorded', async () => {
    await start(() => undefined);
    const { accountId } = await service.createEndpoint();
    const [change] = await changesOf(accountId);
    if (!change) throw new Error('no change');
    let stopped: Promise<void> | undefined;
    service.context.wakes.connect({
      reserve: (...wanted) => {
        const places = engine.delivery.reserve(...wanted);
        stopped = engine.delivery.stop();
        return places;
      },
    });
    await consume(service.context, change);
    await stopped;
    expect((await recorded(service, change.eventId)).state).toBe('delivered');
  });

  it('are not available while the process stops', async () => {
    await start(() => undefined);
    await engine.delivery.stop();
    expect(engine.delivery.reserve(newId<EndpointId>(), 1).count).toBe(0);
  });

  it('lead to no attempt when the transaction fails', async () => {
    await start(() => undefined);
    const { accountId } = await service.createEndpoint();
    const [change] = await changesOf(accountId);
    if (!change) throw new Error('no change');
    service.context.wakes.connect({
      reserve: (...wanted) => {
        const places = engine.delivery.reserve(...wanted);
        return { ...places, leaseMs: Number.NaN };
      },
    });
    await expect(consume(service.context, change)).rejects.toThrow();
    expect(attempted()).toEqual([]);
    expect(await service.db.event.count()).toBe(0);
  });
});
