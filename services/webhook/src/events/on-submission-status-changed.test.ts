import { create } from '@bufbuild/protobuf';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import { renderStatus } from '@supplier/lib/status-object';
import { toTimestamp } from '@supplier/lib/time';
import { Environment, HandoffSchema, Status } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { hear, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START, type TestService } from '../../testing/test-service.ts';
import { claimAttempts } from '../db/claim-attempts.ts';
import { bodyPlace } from '../domain/sealed-places.ts';

const HANDOFF = create(HandoffSchema, {
  customerJourneyUrl: 'https://journey.test/j/secret',
  expiresAt: toTimestamp(new Date('2026-11-23T10:00:00.000Z')),
});

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());
beforeEach(() => service.clock.set(START));

const at = (ms: number) => new Date(START.getTime() + ms);

function find(eventId: EventId) {
  return service.db.event.findUniqueOrThrow({ where: { id: eventId } });
}

async function bodyOf(eventId: EventId): Promise<string> {
  const { sealedBody } = await find(eventId);
  if (!sealedBody) throw new Error('the event has no body');
  return Buffer.from(service.context.ring.open(sealedBody, bodyPlace(eventId))).toString();
}

describe('a change while an endpoint is active', () => {
  it('is recorded under its own id, due at once, and wakes the delivery', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    service.clock.advance(500);
    const change = statusChanged({ accountId, occurredAt: at(100) });
    await hear(service.context, change);
    expect(await find(change.eventId)).toMatchObject({
      submissionId: change.submissionId,
      accountId,
      endpointId,
      environment: 'sandbox',
      change: 'decided',
      occurredAt: at(100),
      recordedAt: at(500),
      state: 'pending',
      attemptCount: 0,
      nextAttemptAt: at(500),
      leaseUntil: null,
    });
    expect(service.woken.at(-1)).toBe(endpointId);
  });

  it('has a body whose data is the rendered status, byte for byte', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(123) });
    await hear(service.context, change);
    expect(await bodyOf(change.eventId)).toBe(
      `{"id":"${change.eventId}","type":"submission.status_changed","occurred_at":"2026-11-20T10:00:00.123Z",` +
        `"data":${JSON.stringify(renderStatus(change.submission))}}`,
    );
  });

  it('is kept sealed: nothing of it can be read in the database', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(1) });
    await hear(service.context, change);
    const { sealedBody } = await find(change.eventId);
    expect(Buffer.from(sealedBody ?? []).includes('ref-Zo')).toBe(false);
    expect(Buffer.from(sealedBody ?? []).includes('submission.status_changed')).toBe(false);
  });

  it('is recorded once, however often it is heard', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(1) });
    await Promise.all([hear(service.context, change), hear(service.context, change)]);
    await hear(service.context, change);
    expect(await service.db.event.count({ where: { submissionId: change.submissionId } })).toBe(1);
  });

  it.each([
    [StatusChange.DECIDED, 'decided'],
    [StatusChange.BILLING_DECIDED, 'billing_decided'],
    [StatusChange.RETURNED, 'returned'],
    [StatusChange.HANDOFF_AVAILABLE, 'handoff_available'],
    [StatusChange.TEST, 'test'],
    [StatusChange.REDELIVERY, 'redelivery'],
  ])('of kind %i is remembered as %s', async (change, name) => {
    const { accountId } = await service.createEndpoint();
    const event = statusChanged({ accountId, occurredAt: at(1), change });
    await hear(service.context, event);
    expect((await find(event.eventId)).change).toBe(name);
  });

  it.each([
    ['account', { accountId: 'x' as AccountId }],
    ['submission', { submissionId: 'x' as SubmissionId }],
    ['environment', { environment: Environment.UNSPECIFIED }],
    ['status', { status: Status.UNSPECIFIED }],
    ['kind of change', { change: StatusChange.UNSPECIFIED }],
  ])('is put back and leaves nothing when it has no %s', async (_what, broken) => {
    const { accountId } = await service.createEndpoint();
    const event = statusChanged({ accountId, occurredAt: at(1), ...broken });
    await expect(hear(service.context, event)).rejects.toThrow();
    expect(await service.db.event.count({ where: { id: event.eventId } })).toBe(0);
    expect(await service.db.inbox.count({ where: { eventId: event.eventId } })).toBe(0);
  });
});

describe('a change outside of every interval of activity', () => {
  async function stateOf(accountId: AccountId, occurredAt: Date, environment = Environment.SANDBOX) {
    const change = statusChanged({ accountId, occurredAt, environment });
    await hear(service.context, change);
    return find(change.eventId);
  }

  it('is remembered as dropped, without a body, when there is no endpoint', async () => {
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

  it('is judged by its own time, not by when it is heard of', async () => {
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

describe('changes of one submission that land close together', () => {
  async function two(firstMs: number, secondMs: number, between = async () => {}) {
    const { accountId, endpointId } = await service.createEndpoint();
    const first = statusChanged({ accountId, occurredAt: at(firstMs) });
    const second = statusChanged({ accountId, occurredAt: at(secondMs), submissionId: first.submissionId });
    await hear(service.context, first);
    await between();
    await hear(service.context, second);
    return { first: await find(first.eventId), second: await find(second.eventId), endpointId };
  }

  it('are merged into the later one while nothing was attempted for the earlier', async () => {
    const { first, second } = await two(10, 20);
    expect(first).toMatchObject({ state: 'superseded', supersededBy: second.id, nextAttemptAt: null });
    expect(second).toMatchObject({ state: 'pending', attemptCount: 0 });
  });

  it('are both delivered once an attempt was claimed for the earlier', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const first = statusChanged({ accountId, occurredAt: at(10) });
    const second = statusChanged({ accountId, occurredAt: at(20), submissionId: first.submissionId });
    await hear(service.context, first);
    await claimAttempts(service.pool, [{ endpointId, slots: 1 }], at(0), at(20_000));
    await hear(service.context, second);
    expect(await find(first.eventId)).toMatchObject({ state: 'pending', attemptCount: 1 });
    expect(await find(second.eventId)).toMatchObject({ state: 'pending', attemptCount: 0 });
  });

  it('keep the later state when the earlier is heard of last', async () => {
    const { first, second } = await two(20, 10);
    expect(first).toMatchObject({ state: 'pending' });
    expect(second).toMatchObject({ state: 'superseded', supersededBy: first.id });
  });

  it('are both delivered when the earlier is heard of after an attempt for the later', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const later = statusChanged({ accountId, occurredAt: at(20) });
    const earlier = statusChanged({ accountId, occurredAt: at(10), submissionId: later.submissionId });
    await hear(service.context, later);
    await claimAttempts(service.pool, [{ endpointId, slots: 1 }], at(0), at(20_000));
    await hear(service.context, earlier);
    expect(await find(later.eventId)).toMatchObject({ state: 'pending', attemptCount: 1 });
    expect(await find(earlier.eventId)).toMatchObject({ state: 'pending', supersededBy: null });
  });

  it('are never merged across submissions', async () => {
    const { accountId } = await service.createEndpoint();
    const one = statusChanged({ accountId, occurredAt: at(10) });
    const other = statusChanged({ accountId, occurredAt: at(20) });
    await hear(service.context, one);
    await hear(service.context, other);
    expect((await find(one.eventId)).state).toBe('pending');
    expect((await find(other.eventId)).state).toBe('pending');
  });

  it('are not superseded by one that is dropped', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const recorded = statusChanged({ accountId, occurredAt: at(10) });
    await hear(service.context, recorded);
    await service.db.endpointActivity.updateMany({ where: { endpointId }, data: { activeUntil: at(15) } });
    const dropped = statusChanged({ accountId, occurredAt: at(20), submissionId: recorded.submissionId });
    await hear(service.context, dropped);
    expect((await find(dropped.eventId)).state).toBe('dropped');
    expect((await find(recorded.eventId)).state).toBe('pending');
  });

  it('end with exactly the latest unattempted one, in whatever order and however many at once they arrive', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { accountId } = await service.createEndpoint();
      const submissionId = newId<SubmissionId>();
      const changes = Array.from({ length: 8 }, (_, index) =>
        statusChanged({ accountId, submissionId, occurredAt: at(index) }),
      );
      await Promise.all(changes.toReversed().map((change) => hear(service.context, change)));
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
  }, 30_000);

  it('are either attempted or superseded, never both, when they race with claims', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { accountId, endpointId } = await service.createEndpoint();
      const submissionId = newId<SubmissionId>();
      const changes = Array.from({ length: 4 }, (_, index) =>
        statusChanged({ accountId, submissionId, occurredAt: at(index) }),
      );
      const claim = () => claimAttempts(service.pool, [{ endpointId, slots: 4 }], at(0), at(20_000));
      await Promise.all(changes.flatMap((change) => [hear(service.context, change), claim()]));
      const events = await service.db.event.findMany({
        where: { submissionId },
        include: { attempts: true },
      });
      expect(events).toHaveLength(4);
      for (const { state, attempts, attemptCount } of events) {
        expect(attempts).toHaveLength(attemptCount);
        expect(state === 'superseded' ? attemptCount : 0).toBe(0);
      }
      const latest = events.find(({ occurredAt }) => Number(occurredAt) === Number(at(3)));
      expect(latest?.state).toBe('pending');
    }
  }, 30_000);
});

describe('the journey link in a body', () => {
  function contextWithHandoff(asked: SubmissionId[]) {
    return {
      ...service.context,
      handoffOf: async (submissionId: SubmissionId) => {
        asked.push(submissionId);
        return HANDOFF;
      },
    };
  }

  it('is asked for whenever the change says that there is one, also when nothing was heard before', async () => {
    const asked: SubmissionId[] = [];
    const context = contextWithHandoff(asked);
    const { accountId } = await service.createEndpoint();
    const change = StatusChange.HANDOFF_AVAILABLE;
    const first = statusChanged({ accountId, occurredAt: at(1), change });
    const second = statusChanged({
      accountId,
      occurredAt: at(2),
      change: StatusChange.BILLING_DECIDED,
      handedOff: true,
    });
    await hear(context, first);
    await hear(context, second);
    expect(asked).toEqual([first.submissionId, second.submissionId]);
    for (const { eventId, submission } of [first, second]) {
      const expected = JSON.stringify(renderStatus({ ...submission, handoff: HANDOFF }));
      expect(expected).toContain('"customer_journey_url":"https://journey.test/j/secret"');
      expect(await bodyOf(eventId)).toContain(`"data":${expected}}`);
    }
  });

  it('is not asked for of submissions that have none, or are no longer accepted', async () => {
    const asked: SubmissionId[] = [];
    const context = contextWithHandoff(asked);
    const { accountId } = await service.createEndpoint();
    const returned = { status: Status.RETURNED, change: StatusChange.RETURNED, handedOff: true };
    await hear(context, statusChanged({ accountId, occurredAt: at(1) }));
    await hear(context, statusChanged({ accountId, occurredAt: at(1), ...returned }));
    expect(asked).toEqual([]);
  });

  it('is not guessed: while it cannot be asked for, the change is put back', async () => {
    const context = {
      ...service.context,
      handoffOf: async () => {
        throw new Error('unavailable');
      },
    };
    const { accountId } = await service.createEndpoint();
    const event = statusChanged({ accountId, occurredAt: at(1), change: StatusChange.HANDOFF_AVAILABLE });
    await expect(hear(context, event)).rejects.toThrow('unavailable');
    expect(await service.db.event.count({ where: { id: event.eventId } })).toBe(0);
  });
});
