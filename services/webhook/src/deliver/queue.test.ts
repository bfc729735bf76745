import { forAllTests } from '@supplier/lib/testing';
import type { EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import { type ClaimedAttempt, interrupted, type Outcome } from '../model/attempt.ts';
import { settleAttempts } from '../store/settle-attempts.sql.ts';
import { claimAttempts, findDueEndpoints, findLostAttempts } from './queue.sql.ts';

const LEASE_MS = 20_000;
/** Longer than a busy machine takes between two steps. */
const SLACK_MS = 60_000;
const at = (ms: number) => new Date(START.getTime() + ms);
const middle = () => 0.5;

const service = forAllTests(() => openTestService());
beforeEach(() => service.clock.set(START));

/** Creates an endpoint with `count` events that just became due, oldest change first. */
async function endpointWithEvents(count: number) {
  const { endpointId, accountId, secret } = await service.createEndpoint();
  const eventIds: EventId[] = [];
  const submissionIds: SubmissionId[] = [];
  for (let index = 0; index < count; index += 1) {
    const change = statusChanged({ accountId, occurredAt: at(index) });
    await consume(service.context, change);
    eventIds.push(change.eventId);
    submissionIds.push(change.submissionId);
  }
  return { endpointId, eventIds, submissionIds, secret };
}

function claim(endpointId: EndpointId, slots: number): Promise<ClaimedAttempt[]> {
  return claimAttempts(service.pool, [{ endpointId, slots }], LEASE_MS);
}

async function claimOne(endpointId: EndpointId): Promise<ClaimedAttempt> {
  const [claimed] = await claim(endpointId, 1);
  if (!claimed) throw new Error('nothing was claimed');
  return claimed;
}

const after = ({ startedAt }: ClaimedAttempt, ms: number) => new Date(startedAt.getTime() + ms);

function delivered(attempt: ClaimedAttempt, afterMs: number): Outcome {
  return {
    ...interrupted(attempt, after(attempt, afterMs), middle),
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

function failed(attempt: ClaimedAttempt, afterMs: number): Outcome {
  return {
    ...interrupted(attempt, after(attempt, afterMs), middle),
    error: 'status',
    statusCode: 503,
  };
}

const lost = (attempt: ClaimedAttempt) => interrupted(attempt, after(attempt, LEASE_MS), middle);

function find(eventId: EventId) {
  return service.db.event.findUniqueOrThrow({
    where: { id: eventId },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
}

describe('claim', () => {
  it("uses the attempt's number and records it, with the key, before the webhook is sent", async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const before = await service.now();
    const [claimed] = await claim(endpointId, 8);
    if (!claimed) throw new Error('nothing was claimed');
    expect(Number(claimed.startedAt)).toBeGreaterThanOrEqual(Number(before));
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
      leaseUntil: after(claimed, LEASE_MS),
      attemptStartedAt: claimed.startedAt,
      attemptKeyFingerprint: claimed.keyFingerprint,
      attempts: [],
    });
  });

  it('takes the longest-due events, and no more than requested', async () => {
    const { endpointId } = await service.createEndpoint();
    const { accountId } = await service.db.endpoint.findUniqueOrThrow({ where: { id: endpointId } });
    const recorded: EventId[] = [];
    for (const seconds of [10, 30, 20]) {
      const change = statusChanged({ accountId: accountId as never, occurredAt: at(seconds) });
      await consume(service.context, change);
      await service.pool.query(
        `UPDATE event SET next_attempt_at = now() - $2 * interval '1 second' WHERE id = $1`,
        [change.eventId, seconds],
      );
      recorded.push(change.eventId);
    }
    const claimed = await claim(endpointId, 2);
    expect(claimed.map(({ eventId }) => eventId).sort()).toEqual([recorded[1], recorded[2]].sort());
  });

  it('takes nothing before it is due, nothing twice, and nothing for a disabled endpoint', async () => {
    const { endpointId } = await endpointWithEvents(1);
    await service.passTime(-SLACK_MS);
    expect(await claim(endpointId, 8)).toEqual([]);
    await service.passTime(SLACK_MS);
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    expect(await claim(endpointId, 8)).toEqual([]);
    expect(await findDueEndpoints(service.pool)).not.toContain(endpointId);
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: true } });
    expect(await findDueEndpoints(service.pool)).toContain(endpointId);
    expect(await claim(endpointId, 8)).toHaveLength(1);
    expect(await claim(endpointId, 8)).toEqual([]);
    expect(await findDueEndpoints(service.pool)).not.toContain(endpointId);
  });

  it('serves each endpoint within its own slots, so that a backlog takes nothing from others', async () => {
    const busy = await endpointWithEvents(20);
    const quiet = await endpointWithEvents(1);
    const requests = [
      { endpointId: busy.endpointId, slots: 3 },
      { endpointId: quiet.endpointId, slots: 3 },
    ];
    const claimed = await claimAttempts(service.pool, requests, LEASE_MS);
    const of = (id: EndpointId) => claimed.filter(({ endpointId }) => endpointId === id);
    expect(of(busy.endpointId)).toHaveLength(3);
    expect(of(quiet.endpointId)).toHaveLength(1);
  });

  it('never takes an event that another claim takes concurrently', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(30);
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(endpointId, 5)));
    const taken = claims.flat().map(({ eventId }) => eventId);
    expect(new Set(taken).size).toBe(taken.length);
    taken.push(...(await claim(endpointId, 30)).map(({ eventId }) => eventId));
    expect(taken.toSorted()).toEqual(eventIds.toSorted());
  });

  it('uses the URL and the secret current at that moment', async () => {
    const { endpointId } = await endpointWithEvents(1);
    await service.db.endpoint.update({
      where: { id: endpointId },
      data: { url: 'https://moved.test/', keyFingerprint: 'ffffffff' },
    });
    const [claimed] = await claim(endpointId, 1);
    expect(claimed).toMatchObject({ url: 'https://moved.test/', keyFingerprint: 'ffffffff' });
  });
});

describe('outcome of an attempt', () => {
  it('delivers the event and is stored with its phases', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const claimed = await claimOne(endpointId);
    expect(await settleAttempts(service.pool, [delivered(claimed, 40)])).toEqual([true]);
    expect(await find(eventIds[0] as EventId)).toMatchObject({
      state: 'delivered',
      attemptCount: 1,
      nextAttemptAt: null,
      leaseUntil: null,
      settledAt: after(claimed, 40),
      attempts: [
        {
          startedAt: claimed.startedAt,
          endedAt: after(claimed, 40),
          keyFingerprint: claimed.keyFingerprint,
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
    const claimed = await claimOne(endpointId);
    const failed = {
      ...interrupted(claimed, after(claimed, 100), middle),
      error: 'status' as const,
      statusCode: 500,
    };
    await settleAttempts(service.pool, [failed]);
    expect(await find(eventIds[0] as EventId)).toMatchObject({
      state: 'pending',
      attemptCount: 1,
      nextAttemptAt: after(claimed, 15_100),
      leaseUntil: null,
      settledAt: null,
      attempts: [{ statusCode: 500, errorClass: 'status' }],
    });
    await service.passTime(15_100 - SLACK_MS);
    expect(await claim(endpointId, 1)).toEqual([]);
    await service.passTime(SLACK_MS);
    expect(await claim(endpointId, 1)).toMatchObject([{ number: 2 }]);
  });

  it('counts only once: a later outcome of the same attempt changes nothing', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const claimed = await claimOne(endpointId);
    expect(await settleAttempts(service.pool, [failed(claimed, 100)])).toEqual([true]);
    const before = await find(eventIds[0] as EventId);
    for (const late of [delivered(claimed, 101), failed(claimed, 102), lost(claimed)]) {
      expect(await settleAttempts(service.pool, [late])).toEqual([false]);
    }
    expect(await find(eventIds[0] as EventId)).toEqual(before);
  });

  it.each([failed, lost])('is recorded together with a late one of the same event: %p', async (first) => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const one = await claimOne(endpointId);
    expect(await settleAttempts(service.pool, [first(one, 100)])).toEqual([true]);
    await service.passTime(3_600_000);
    const two = await claimOne(endpointId);
    expect(await settleAttempts(service.pool, [first(one, 100), delivered(two, 40)])).toEqual([false, true]);
    expect(await find(eventIds[0] as EventId)).toMatchObject({ state: 'delivered', attemptCount: 2 });
  });

  it('is decided by the first writer when a worker and the search for lost attempts race', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { endpointId } = await endpointWithEvents(1);
      const claimed = await claimOne(endpointId);
      const outcomes = [
        failed(claimed, LEASE_MS),
        interrupted(claimed, after(claimed, LEASE_MS), middle),
        interrupted(claimed, after(claimed, LEASE_MS), middle),
      ];
      const first = (
        await Promise.all(outcomes.map((outcome) => settleAttempts(service.pool, [outcome])))
      ).flat();
      expect(first.filter(Boolean)).toHaveLength(1);
      const { state, attempts } = await find(claimed.eventId);
      expect(attempts).toHaveLength(1);
      expect(state).toBe('pending');
      expect(['interrupted', 'status']).toContain(attempts[0]?.errorClass);
    }
  });

  it('is recorded together with many others, each with its own verdict', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(6);
    const claimed = await claim(endpointId, 6);
    const outcomes = claimed.map((attempt, index) =>
      index % 2 === 0 ? delivered(attempt, 1) : interrupted(attempt, after(attempt, 1), middle),
    );
    expect(await settleAttempts(service.pool, outcomes)).toEqual(Array(6).fill(true));
    const states = await Promise.all(eventIds.map(async (id) => (await find(id)).state));
    expect(states.toSorted()).toEqual([...Array(3).fill('delivered'), ...Array(3).fill('pending')]);
  });
});

describe('worker that returns after its attempt was considered lost', () => {
  async function givenUp() {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const [claimed] = await claim(endpointId, 1);
    const [eventId] = eventIds;
    if (!claimed || !eventId) throw new Error('nothing was claimed');
    expect(await settleAttempts(service.pool, [lost(claimed)])).toEqual([true]);
    return { endpointId, eventId, claimed };
  }

  it('delivers the event if it reports success, and the event is not sent again', async () => {
    const { endpointId, eventId, claimed } = await givenUp();
    expect(await settleAttempts(service.pool, [delivered(claimed, LEASE_MS + 5)])).toEqual([true]);
    expect(await find(eventId)).toMatchObject({
      state: 'delivered',
      nextAttemptAt: null,
      settledAt: after(claimed, LEASE_MS + 5),
      attempts: [{ number: 1, errorClass: null, statusCode: 204, endedAt: after(claimed, LEASE_MS + 5) }],
    });
    await service.passTime(3_600_000);
    expect(await claim(endpointId, 1)).toEqual([]);
  });

  it('changes nothing if it reports a failure', async () => {
    const { eventId, claimed } = await givenUp();
    const before = await find(eventId);
    expect(await settleAttempts(service.pool, [failed(claimed, LEASE_MS + 5)])).toEqual([false]);
    expect(await find(eventId)).toEqual(before);
  });

  it('delivers the event while the next attempt is in progress, whose result then changes nothing', async () => {
    for (const end of [failed, delivered]) {
      const { endpointId, eventId, claimed } = await givenUp();
      await service.passTime(60_000);
      const second = await claimOne(endpointId);
      expect(await settleAttempts(service.pool, [delivered(claimed, LEASE_MS + 5)])).toEqual([true]);
      const taken = await find(eventId);
      expect(taken).toMatchObject({ state: 'delivered', leaseUntil: null, attempts: [{ errorClass: null }] });
      expect(await settleAttempts(service.pool, [end(second, 7)])).toEqual([true]);
      const { attempts, ...event } = await find(eventId);
      expect({ ...event, attempts: taken.attempts }).toEqual(taken);
      expect(attempts).toMatchObject([{ number: 1, statusCode: 204 }, { number: 2 }]);
    }
  });

  it('delivers an event whose next attempt has failed, and an exhausted one', async () => {
    const { endpointId, eventId, claimed } = await givenUp();
    await service.passTime(60_000);
    const second = await claimOne(endpointId);
    await settleAttempts(service.pool, [failed(second, 1)]);
    await settleAttempts(service.pool, [delivered(claimed, LEASE_MS)]);
    expect((await find(eventId)).state).toBe('delivered');

    const last = await endpointWithEvents(1);
    await service.pool.query('UPDATE event SET attempt_count = 7 WHERE id = $1', [last.eventIds[0]]);
    const [eighth] = await claim(last.endpointId, 1);
    if (!eighth) throw new Error('nothing was claimed');
    await settleAttempts(service.pool, [lost(eighth)]);
    expect((await find(eighth.eventId)).state).toBe('exhausted');
    expect(await settleAttempts(service.pool, [delivered(eighth, LEASE_MS)])).toEqual([true]);
    expect(await find(eighth.eventId)).toMatchObject({ state: 'delivered', attempts: [{ statusCode: 204 }] });
  });

  it('leaves an exhausted event to its replacement', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    await service.pool.query('UPDATE event SET attempt_count = 7 WHERE id = $1', [eventIds[0]]);
    const eighth = await claimOne(endpointId);
    await settleAttempts(service.pool, [lost(eighth)]);
    await service.pool.query('UPDATE event SET redelivered_as = gen_random_uuid() WHERE id = $1', [
      eventIds[0],
    ]);
    expect(await settleAttempts(service.pool, [delivered(eighth, LEASE_MS)])).toEqual([true]);
    expect((await find(eighth.eventId)).state).toBe('exhausted');
  });
});

describe('worker that dies after a claim', () => {
  it('has used the attempt, which is found once its lease has expired and not before', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    const claimed = await claimOne(endpointId);
    const found = async () =>
      (await findLostAttempts(service.pool, 1_000)).filter(({ eventId }) => eventId === eventIds[0]);
    await service.passTime(LEASE_MS - SLACK_MS);
    expect(await found()).toEqual([]);
    await service.passTime(SLACK_MS + 1);
    const { keyFingerprint } = claimed;
    expect(await found()).toEqual([
      {
        eventId: eventIds[0],
        endpointId,
        number: 1,
        startedAt: after(claimed, -LEASE_MS - 1),
        keyFingerprint,
        leaseUntil: after(claimed, -1),
      },
    ]);
    await service.passTime(3_600_000);
    expect(await claim(endpointId, 1)).toEqual([]);
  });

  it('is found before those that died later', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(3);
    await claim(endpointId, 3);
    const time = "'2020-01-01'::date + (ARRAY[2, 3, 1])[array_position($1::uuid[], id)]";
    await service.pool.query(`UPDATE event SET lease_until = ${time} WHERE id = ANY($1)`, [eventIds]);
    const found = await findLostAttempts(service.pool, 2);
    expect(found).toMatchObject([{ eventId: eventIds[2] }, { eventId: eventIds[0] }]);
  });

  it('never leads to more than eight attempts, even if every worker dies', async () => {
    const { endpointId, eventIds } = await endpointWithEvents(1);
    for (let round = 1; round <= 12; round += 1) {
      await claim(endpointId, 8);
      await service.passTime(6 * 3_600_000);
      for (const lost of await findLostAttempts(service.pool, 1_000)) {
        await settleAttempts(service.pool, [interrupted(lost, lost.leaseUntil, middle)]);
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
  });
});
