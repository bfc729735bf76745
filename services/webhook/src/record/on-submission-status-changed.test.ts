import { inTransaction } from '@supplier/lib/data/postgres';
import { countStatements, forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { renderStatus } from '@supplier/lib/text/status-object';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { consume, type StatusChanged, statusChanged } from '../../testing/status-changes.ts';
import { recorded, recordedBody } from '../../testing/test-engine.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import { environmentOf } from '../model/event.ts';
import { onSubmissionStatusChanged } from './on-submission-status-changed.ts';

const service = forAllTests(() => openTestService());
beforeEach(() => service.clock.set(START));

const at = (ms: number) => new Date(START.getTime() + ms);

const find = (eventId: EventId) => recorded(service, eventId);
const bodyOf = (eventId: EventId) => recordedBody(service, eventId);

describe('change while an endpoint is active', () => {
  it("is recorded under its own id, due immediately by the database's clock, and wakes the delivery", async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(100) });
    const before = await service.now();
    await consume(service.context, change);
    const event = await find(change.eventId);
    expect(Number(event.recordedAt)).toBeGreaterThanOrEqual(Number(before));
    expect(Number(event.recordedAt)).toBeLessThanOrEqual(Number(await service.now()));
    expect(event).toMatchObject({
      submissionId: change.submissionId,
      accountId,
      endpointId,
      environment: 'sandbox',
      change: 'decided',
      occurredAt: at(100),
      state: 'pending',
      attemptCount: 0,
      nextAttemptAt: event.recordedAt,
      leaseUntil: null,
    });
    expect(service.woken.at(-1)).toBe(endpointId);
  });

  it('has a body with the rendered status as its data, byte for byte', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(123) });
    await consume(service.context, change);
    expect(await bodyOf(change.eventId)).toBe(
      `{"id":"${change.eventId}","type":"submission.status_changed","occurred_at":"2026-11-20T10:00:00.123Z",` +
        `"data":${JSON.stringify(renderStatus(change.submission))}}`,
    );
  });

  it('is stored sealed, and the database contains no readable part of it', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(1) });
    await consume(service.context, change);
    const { sealedBody } = await find(change.eventId);
    expect(Buffer.from(sealedBody ?? []).includes('ref-Zo')).toBe(false);
    expect(Buffer.from(sealedBody ?? []).includes('submission.status_changed')).toBe(false);
  });

  it('is recorded once, even if it is delivered repeatedly', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(1) });
    await Promise.all([consume(service.context, change), consume(service.context, change)]);
    await consume(service.context, change, change);
    expect(await service.db.event.count({ where: { submissionId: change.submissionId } })).toBe(1);
  });

  it.each([
    ['account', { accountId: 'x' as AccountId }],
    ['submission', { submissionId: 'x' as SubmissionId }],
    ['environment', { environment: Environment.UNSPECIFIED }],
    ['status', { status: Status.UNSPECIFIED }],
    ['change type', { change: StatusChange.UNSPECIFIED }],
  ])('is rejected without any effect when it has no %s', async (_what, broken) => {
    const { accountId } = await service.createEndpoint();
    const event = statusChanged({ accountId, occurredAt: at(1), ...broken });
    await expect(consume(service.context, event)).rejects.toThrow();
    expect(await service.db.event.count({ where: { id: event.eventId } })).toBe(0);
  });
});

describe('change outside every interval of activity', () => {
  async function stateOf(accountId: AccountId, occurredAt: Date, environment = Environment.SANDBOX) {
    const change = statusChanged({ accountId, occurredAt, environment });
    await consume(service.context, change);
    return find(change.eventId);
  }

  it('is recorded as dropped, without a body, when there is no endpoint', async () => {
    expect(await stateOf(newId<AccountId>(), at(0))).toMatchObject({
      state: 'dropped',
      endpointId: null,
      sealedBody: null,
      nextAttemptAt: null,
    });
  });

  it('is dropped when the only endpoint is in the other environment', async () => {
    const { accountId } = await service.createEndpoint({ environment: 'production' });
    expect(await stateOf(accountId, at(0))).toMatchObject({ state: 'dropped' });
    expect(await stateOf(accountId, at(0), Environment.PRODUCTION)).toMatchObject({ state: 'pending' });
  });

  it('is classified by its own time, not its arrival', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    await service.db.endpointActivity.update({
      where: { endpointId_activeFrom: { endpointId, activeFrom: START } },
      data: { activeUntil: at(1_000) },
    });
    await service.db.endpointActivity.create({ data: { endpointId, activeFrom: at(2_000) } });
    service.clock.advance(3_600_000);
    expect(await stateOf(accountId, at(-1))).toMatchObject({ state: 'dropped' });
    expect(await stateOf(accountId, at(0))).toMatchObject({ state: 'pending' });
    expect(await stateOf(accountId, at(999))).toMatchObject({ state: 'pending' });
    expect(await stateOf(accountId, at(1_000))).toMatchObject({ state: 'dropped' });
    expect(await stateOf(accountId, at(1_999))).toMatchObject({ state: 'dropped' });
    expect(await stateOf(accountId, at(2_000))).toMatchObject({ state: 'pending' });
  });
});

describe('concurrent changes of one submission', () => {
  async function two(firstMs: number, secondMs: number, between = async () => {}) {
    const { accountId, endpointId } = await service.createEndpoint();
    const first = statusChanged({ accountId, occurredAt: at(firstMs) });
    const second = statusChanged({ accountId, occurredAt: at(secondMs), submissionId: first.submissionId });
    await consume(service.context, first);
    await between();
    await consume(service.context, second);
    return { first: await find(first.eventId), second: await find(second.eventId), endpointId };
  }

  it('are merged into the later one while the earlier has no attempt', async () => {
    const { first, second } = await two(10, 20);
    expect(first).toMatchObject({ state: 'superseded', supersededBy: second.id, nextAttemptAt: null });
    expect(second).toMatchObject({ state: 'pending', attemptCount: 0 });
  });

  it('are both delivered once an attempt was claimed for the earlier', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const first = statusChanged({ accountId, occurredAt: at(10) });
    const second = statusChanged({ accountId, occurredAt: at(20), submissionId: first.submissionId });
    await consume(service.context, first);
    await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 20_000);
    await consume(service.context, second);
    expect(await find(first.eventId)).toMatchObject({ state: 'pending', attemptCount: 1 });
    expect(await find(second.eventId)).toMatchObject({ state: 'pending', attemptCount: 0 });
  });

  it('are both delivered when the earlier arrives after an attempt for the later', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const later = statusChanged({ accountId, occurredAt: at(20) });
    const earlier = statusChanged({ accountId, occurredAt: at(10), submissionId: later.submissionId });
    await consume(service.context, later);
    await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 20_000);
    await consume(service.context, earlier);
    expect(await find(later.eventId)).toMatchObject({ state: 'pending', attemptCount: 1 });
    expect(await find(earlier.eventId)).toMatchObject({ state: 'pending', supersededBy: null });
  });

  it('are not superseded by one that is dropped', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const recorded = statusChanged({ accountId, occurredAt: at(10) });
    await consume(service.context, recorded);
    await service.db.endpointActivity.updateMany({ where: { endpointId }, data: { activeUntil: at(15) } });
    const dropped = statusChanged({ accountId, occurredAt: at(20), submissionId: recorded.submissionId });
    await consume(service.context, dropped);
    expect((await find(dropped.eventId)).state).toBe('dropped');
    expect((await find(recorded.eventId)).state).toBe('pending');
  });

  it('end with exactly the latest unattempted one, in any order and with any number arriving concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { accountId } = await service.createEndpoint();
      const submissionId = newId<SubmissionId>();
      const changes = Array.from({ length: 8 }, (_, index) =>
        statusChanged({ accountId, submissionId, occurredAt: at(index) }),
      );
      await Promise.all(changes.toReversed().map((change) => consume(service.context, change)));
      const events = await service.db.event.findMany({
        where: { submissionId },
        orderBy: { occurredAt: 'asc' },
      });
      expect(events.map(({ state }) => state)).toEqual([...Array(7).fill('superseded'), 'pending']);
      for (const event of events.slice(0, 7)) {
        const winner = events.find(({ id }) => id === event.supersededBy);
        expect(Number(winner?.occurredAt)).toBeGreaterThan(Number(event.occurredAt));
      }
    }
  });

  it('are either attempted or superseded, never both, when they race with claims', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { accountId, endpointId } = await service.createEndpoint();
      const submissionId = newId<SubmissionId>();
      const changes = Array.from({ length: 4 }, (_, index) =>
        statusChanged({ accountId, submissionId, occurredAt: at(index) }),
      );
      const claim = () => claimAttempts(service.pool, [{ endpointId, slots: 4 }], 20_000);
      await Promise.all(changes.flatMap((change) => [consume(service.context, change), claim()]));
      const events = await service.db.event.findMany({
        where: { submissionId },
      });
      expect(events).toHaveLength(4);
      for (const { state, leaseUntil, attemptCount } of events) {
        expect(attemptCount).toBe(leaseUntil ? 1 : 0);
        expect(state === 'superseded' ? attemptCount : 0).toBe(0);
      }
      const latest = events.find(({ occurredAt }) => Number(occurredAt) === Number(at(3)));
      expect(latest?.state).toBe('pending');
    }
  });
});

describe('set of changes', () => {
  /** Returns the records of submissions, without ids that differ between runs. */
  async function recordOf(changes: readonly StatusChanged[]) {
    const events = await service.db.event.findMany({
      where: { id: { in: changes.map(({ eventId }) => eventId) } },
    });
    const placeOf = (id: string | null) => changes.findIndex(({ eventId }) => eventId === id);
    return changes.map(({ eventId }) => {
      const event = events.find(({ id }) => id === eventId);
      return [event?.state, placeOf(event?.supersededBy ?? null), event?.nextAttemptAt !== null];
    });
  }

  it('is recorded exactly as if its changes had arrived one after the other', async () => {
    const make = async () => {
      const { accountId, endpointId } = await service.createEndpoint();
      const [one, other, attempted] = [1, 2, 3].map(() => newId<SubmissionId>());
      const of = (submissionId: SubmissionId | undefined, ms: number, whose = accountId) =>
        statusChanged({ accountId: whose, submissionId: submissionId ?? newId(), occurredAt: at(ms) });
      const earlier = of(attempted, 5);
      await consume(service.context, earlier);
      await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 20_000);
      const waiting = of(one, 1);
      await consume(service.context, waiting);
      const twice = of(other, 40);
      return [
        earlier,
        waiting,
        ...[of(one, 20), of(other, 50), of(one, 10), twice, of(one, 30), of(attempted, 7)],
        ...[of(undefined, 1), of(one, -1), of(undefined, 1, newId<AccountId>()), of(other, 60), twice],
      ];
    };
    const single = await make();
    for (const change of single.slice(2)) await consume(service.context, change);
    const together = await make();
    await consume(service.context, ...together.slice(2));
    const expected = await recordOf(single);
    expect(await recordOf(together)).toEqual(expected);
    const states = expected.map(([state]) => state);
    expect(new Set(states)).toEqual(new Set(['pending', 'superseded', 'dropped']));
  });

  it('goes to the endpoint of the environment and account of each change', async () => {
    const accounts = [newId<AccountId>(), newId<AccountId>()];
    const places = accounts.flatMap((accountId) =>
      (['sandbox', 'production'] as const).map((environment) => ({ accountId, environment })),
    );
    const endpoints = await Promise.all(places.map((place) => service.createEndpoint(place)));
    const changes = places.map(({ accountId, environment }) =>
      statusChanged({ accountId, environment: environmentOf(environment), occurredAt: at(1) }),
    );
    await consume(service.context, ...changes);
    const events = await service.db.event.findMany({
      where: { id: { in: changes.map(({ eventId }) => eventId) } },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ id, endpointId }) => [id, endpointId])).toEqual(
      changes.map(({ eventId }, place) => [eventId, endpoints[place]?.endpointId]).sort(),
    );
  });

  it('wakes each endpoint once, and only those with waiting events', async () => {
    const [one, other] = [await service.createEndpoint(), await service.createEndpoint()];
    service.woken.length = 0;
    await consume(
      service.context,
      statusChanged({ accountId: one.accountId, occurredAt: at(1) }),
      statusChanged({ accountId: one.accountId, occurredAt: at(2) }),
      statusChanged({ accountId: other.accountId, occurredAt: at(-1) }),
    );
    expect(service.woken).toEqual([one.endpointId]);
  });

  it('is rolled back completely when one of its changes cannot be recorded', async () => {
    const { accountId } = await service.createEndpoint();
    const good = statusChanged({ accountId, occurredAt: at(1) });
    const bad = statusChanged({ accountId, occurredAt: at(2), change: StatusChange.UNSPECIFIED });
    await expect(consume(service.context, good, bad)).rejects.toThrow();
    expect(await service.db.event.count({ where: { accountId } })).toBe(0);
  });

  it('takes a bounded number of statements for any number of changes', async () => {
    const { accountId } = await service.createEndpoint();
    const changes = Array.from({ length: 64 }, (_, ms) => statusChanged({ accountId, occurredAt: at(ms) }));
    let statements = 0;
    await inTransaction(service.pool, async (tx) => {
      const counted = countStatements(tx);
      await onSubmissionStatusChanged(service.context)(
        tx,
        changes.map(({ event }) => event),
      );
      statements = counted();
    });
    expect(statements).toBe(3);
    expect(await service.db.event.count({ where: { accountId } })).toBe(64);
  });

  it('causes no deadlock when replicas receive the same submissions in other orders', async () => {
    const endpoints = await Promise.all(Array.from({ length: 4 }, () => service.createEndpoint()));
    for (let round = 0; round < 10; round += 1) {
      const submissions = Array.from({ length: 32 }, () => newId<SubmissionId>());
      const set = (ms: number) =>
        submissions.map((submissionId, index) =>
          statusChanged({
            accountId: endpoints[index % 4]?.accountId as AccountId,
            submissionId,
            occurredAt: at(ms),
          }),
        );
      await Promise.all([
        consume(service.context, ...set(1)),
        consume(service.context, ...set(2).toReversed()),
        consume(service.context, ...set(3).toSorted(() => Math.random() - 0.5)),
      ]);
      const waiting = await service.db.event.findMany({
        where: { submissionId: { in: submissions }, state: 'pending' },
      });
      expect(waiting.map(({ occurredAt }) => Number(occurredAt))).toEqual(Array(32).fill(Number(at(3))));
    }
  });
});
