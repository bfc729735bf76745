import type { EndpointId, EventId, SubmissionId } from '@supplier/lib/ids';
import { hear, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START, type TestService } from '../../testing/test-service.ts';
import { interrupted, type Outcome } from '../domain/outcome.ts';
import { type ClaimedAttempt, claimAttempts } from './claim-attempts.ts';
import { findDueEndpoints } from './find-due-endpoints.ts';
import { findLostAttempts } from './find-lost-attempts.ts';
import { settleAttempts } from './settle-attempts.ts';

const LEASE_MS = 20_000;
const at = (ms: number) => new Date(START.getTime() + ms);
const middle = () => 0.5;

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service?.close());
beforeEach(() => service.clock.set(START));

/** An endpoint with `count` events due at START, oldest change first. */
async function endpointWithEvents(count: number) {
  const { endpointId, accountId, secret } = await service.createEndpoint();
  const eventIds: EventId[] = [];
  const submissionIds: SubmissionId[] = [];
  for (let index = 0; index < count; index += 1) {
    const change = statusChanged({ accountId, occurredAt: at(index) });
    await hear(service.context, change);
    eventIds.push(change.eventId);
    submissionIds.push(change.submissionId);
  }
  return { endpointId, eventIds, submissionIds, secret };
}

function claim(endpointId: EndpointId, slots: number, now = at(0)): Promise<ClaimedAttempt[]> {
  return claimAttempts(service.pool, [{ endpointId, slots }], now, new Date(now.getTime() + LEASE_MS));
}

function delivered({ eventId, number }: ClaimedAttempt, endedAt: Date): Outcome {
  return {
    ...interrupted(eventId, number, endedAt, middle),
    error: undefined,
    statusCode: 204,
    dnsMs: 1.5,
    connectMs: 2.5,
    tlsMs: 3.5,
    statusMs: 4.5,
    resolvedIp: '127.0.0.1',
    tlsVersion: 'TLSv1.3',
    sealedAnswerHead: Buffer.from('sealed'),
    verdict: { state: 'delivered' },
  };
}

function find(eventId: EventId) {
  return service.db.event.findUniqueOrThrow({
    where: { id: eventId },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}

describe('a claim', () => {
  it('spends the number of the attempt and notes it, with the key, before anything is sent', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const [claimed] = await claim(endpointId, 8);
    expect(claimed).toMatchObject({
      eventId: eventIds[0],
      endpointId,
      number: 1,
      url: 'https://receiver.test/',
    });
    expect(await find(eventIds[0] as EventId)).toMatchObject({
      state: 'pending',
      attemptCount: 1,
      nextAttemptAt: null,
      leaseUntil: at(LEASE_MS),
      attempts: [{ number: 1, startedAt: at(0), endedAt: null, keyFingerprint: claimed?.keyFingerprint }],
    });
  });

  it('takes what has been due longest, and no more than it asks for', async () => {
    const { endpointId } = await service.createEndpoint();
    const { accountId } = await service.db.endpoint.findUniqueOrThrow({ where: { id: endpointId } });
    const recorded: EventId[] = [];
    for (const ms of [30, 10, 20]) {
      service.clock.set(at(ms));
      const change = statusChanged({ accountId: accountId as never, occurredAt: at(ms) });
      await hear(service.context, change);
      recorded.push(change.eventId);
    }
    const claimed = await claim(endpointId, 2, at(100));
    expect(claimed.map(({ eventId }) => eventId).sort()).toEqual([recorded[1], recorded[2]].sort());
  });

  it('takes nothing before it is due, nothing twice, and nothing of a disabled endpoint', async () => {
    const { endpointId } = await endpointWithEvents(1);
    expect(await claim(endpointId, 8, at(-1))).toEqual([]);
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    expect(await claim(endpointId, 8)).toEqual([]);
    expect(await findDueEndpoints(service.pool, at(0))).not.toContain(endpointId);
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: true } });
    expect(await findDueEndpoints(service.pool, at(0))).toContain(endpointId);
    expect(await claim(endpointId, 8)).toHaveLength(1);
    expect(await claim(endpointId, 8)).toEqual([]);
    expect(await findDueEndpoints(service.pool, at(0))).not.toContain(endpointId);
  });

  it('serves each endpoint within its own slots: a backlog takes nothing from others', async () => {
    const busy = await endpointWithEvents(20);
    const quiet = await endpointWithEvents(1);
    const asks = [
      { endpointId: busy.endpointId, slots: 3 },
      { endpointId: quiet.endpointId, slots: 3 },
    ];
    const claimed = await claimAttempts(service.pool, asks, at(0), at(LEASE_MS));
    const of = (id: EndpointId) => claimed.filter(({ endpointId }) => endpointId === id);
    expect(of(busy.endpointId)).toHaveLength(3);
    expect(of(quiet.endpointId)).toHaveLength(1);
  });

  it('never takes what another takes at the same time', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(30);
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(endpointId, 5)));
    const taken = claims.flat().map(({ eventId }) => eventId);
    expect(new Set(taken).size).toBe(taken.length);
    taken.push(...(await claim(endpointId, 30)).map(({ eventId }) => eventId));
    expect(taken.toSorted()).toEqual(eventIds.toSorted());
  }, 30_000);

  it('uses the URL and the secret as they are at that moment', async () => {
    const { endpointId } = await endpointWithEvents(1);
    await service.db.endpoint.update({
      where: { id: endpointId },
      data: { url: 'https://moved.test/', keyFingerprint: 'ffffffff' },
    });
    const [claimed] = await claim(endpointId, 1);
    expect(claimed).toMatchObject({ url: 'https://moved.test/', keyFingerprint: 'ffffffff' });
  });
});

describe('the outcome of an attempt', () => {
  it('delivers the event and is kept with its phases', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const [claimed] = await claim(endpointId, 1);
    if (!claimed) throw new Error('nothing was claimed');
    expect(await settleAttempts(service.pool, [delivered(claimed, at(40))])).toEqual([true]);
    expect(await find(eventIds[0] as EventId)).toMatchObject({
      state: 'delivered',
      attemptCount: 1,
      nextAttemptAt: null,
      leaseUntil: null,
      settledAt: at(40),
      attempts: [
        {
          endedAt: at(40),
          statusCode: 204,
          errorClass: null,
          dnsMs: 1.5,
          connectMs: 2.5,
          tlsMs: 3.5,
          statusMs: 4.5,
          resolvedIp: '127.0.0.1',
          tlsVersion: 'TLSv1.3',
        },
      ],
    });
  });

  it('schedules the next attempt after a failure, which is due then and not before', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const [claimed] = await claim(endpointId, 1);
    if (!claimed) throw new Error('nothing was claimed');
    const failed = {
      ...interrupted(claimed.eventId, 1, at(100), middle),
      error: 'status' as const,
      statusCode: 500,
    };
    await settleAttempts(service.pool, [failed]);
    expect(await find(eventIds[0] as EventId)).toMatchObject({
      state: 'pending',
      attemptCount: 1,
      nextAttemptAt: at(15_100),
      leaseUntil: null,
      settledAt: null,
      attempts: [{ statusCode: 500, errorClass: 'status' }],
    });
    expect(await claim(endpointId, 1, at(15_099))).toEqual([]);
    expect(await claim(endpointId, 1, at(15_100))).toMatchObject([{ number: 2 }]);
  });

  it('counts only once: the second word on an attempt changes nothing', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const [claimed] = await claim(endpointId, 1);
    if (!claimed) throw new Error('nothing was claimed');
    const lost = interrupted(claimed.eventId, 1, at(LEASE_MS), middle);
    expect(await settleAttempts(service.pool, [lost])).toEqual([true]);
    expect(await settleAttempts(service.pool, [delivered(claimed, at(LEASE_MS + 1))])).toEqual([false]);
    await claim(endpointId, 1, at(60_000));
    expect(await settleAttempts(service.pool, [delivered(claimed, at(60_001))])).toEqual([false]);
    expect(await find(eventIds[0] as EventId)).toMatchObject({
      state: 'pending',
      attemptCount: 2,
      attempts: [{ errorClass: 'interrupted' }, { endedAt: null }],
    });
  });

  it('is decided by whoever is first when a worker and the search for lost attempts meet', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { endpointId } = await endpointWithEvents(1);
      const [claimed] = await claim(endpointId, 1);
      if (!claimed) throw new Error('nothing was claimed');
      const words = [
        delivered(claimed, at(LEASE_MS)),
        interrupted(claimed.eventId, 1, at(LEASE_MS), middle),
        interrupted(claimed.eventId, 1, at(LEASE_MS), middle),
      ];
      const first = (await Promise.all(words.map((word) => settleAttempts(service.pool, [word])))).flat();
      expect(first.filter(Boolean)).toHaveLength(1);
      const { state, attempts } = await find(claimed.eventId);
      expect(attempts).toHaveLength(1);
      expect(state).toBe(attempts[0]?.errorClass === 'interrupted' ? 'pending' : 'delivered');
    }
  }, 30_000);

  it('is recorded together with many others, each by its own verdict', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(6);
    const claimed = await claim(endpointId, 6);
    const outcomes = claimed.map((attempt, index) =>
      index % 2 === 0 ? delivered(attempt, at(1)) : interrupted(attempt.eventId, 1, at(1), middle),
    );
    expect(await settleAttempts(service.pool, outcomes)).toEqual(Array(6).fill(true));
    const states = await Promise.all(eventIds.map(async (id) => (await find(id)).state));
    expect(states.toSorted()).toEqual([...Array(3).fill('delivered'), ...Array(3).fill('pending')]);
  });
});

describe('a worker that dies after a claim', () => {
  it('has spent the attempt: it is found once its lease is over, and not before', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    await claim(endpointId, 1);
    const found = async (now: Date) =>
      (await findLostAttempts(service.pool, now, 1_000)).filter(({ eventId }) => eventId === eventIds[0]);
    expect(await found(at(LEASE_MS))).toEqual([]);
    expect(await found(at(LEASE_MS + 1))).toEqual([
      { eventId: eventIds[0], endpointId, number: 1, startedAt: at(0), leaseUntil: at(LEASE_MS) },
    ]);
    expect(await claim(endpointId, 1, at(3_600_000))).toEqual([]);
  });

  it('never leads to more than eight attempts, even if every worker dies', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    let now = at(0);
    for (let round = 1; round <= 12; round += 1) {
      await claim(endpointId, 8, now);
      now = new Date(now.getTime() + 6 * 3_600_000);
      for (const { eventId, number, leaseUntil } of await findLostAttempts(service.pool, now, 1_000)) {
        await settleAttempts(service.pool, [interrupted(eventId, number, leaseUntil, middle)]);
      }
    }
    const event = await find(eventIds[0] as EventId);
    expect(event).toMatchObject({
      state: 'exhausted',
      attemptCount: 8,
      nextAttemptAt: null,
      leaseUntil: null,
    });
    expect(event.attempts.map(({ number, errorClass }) => [number, errorClass])).toEqual(
      Array.from({ length: 8 }, (_, index) => [index + 1, 'interrupted']),
    );
  }, 30_000);
});
