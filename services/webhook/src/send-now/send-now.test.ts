import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EndpointId, type EventId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { recordDue, recorded, startTestEngine } from '../../testing/test-engine.ts';
import { openTestService, refused, START, startTestServer } from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import { inTransaction } from '../store/database.ts';
import { makeBacklogDue } from './due-now.sql.ts';

const { SANDBOX, PRODUCTION } = Environment;
const { WRONG_STATE, NOT_FOUND } = RefusalCode;
const HOUR_MS = 3_600_000;

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestServer(service.context));
beforeEach(() => {
  service.clock.set(START);
  service.woken.length = 0;
});

type Of = { accountId: AccountId; endpointId: EndpointId };
const operator = () => server.as('olga', 'staff:operator');
const sendNow = (eventId: EventId, idempotencyKey = '') =>
  operator().sendEventNow({ eventId, idempotencyKey });
const sendPending = ({ accountId }: Of, more: { recordedSince?: Date; idempotencyKey?: string } = {}) =>
  operator().sendPendingEvents({
    ...{ accountId, environment: SANDBOX, idempotencyKey: more.idempotencyKey ?? '' },
    ...(more.recordedSince && { recordedSince: toTimestamp(more.recordedSince) }),
  });
const auditOf = ({ accountId }: Of) => service.db.auditEntry.findMany({ where: { accountId } });
const disable = ({ endpointId }: Of) =>
  service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });

/** Records events whose third attempt is due in an hour, or after `ms`. */
async function waiting(of: Of, count: number, ms = HOUR_MS): Promise<EventId[]> {
  const now = await service.now();
  const ids = await recordDue(service, of, count, now);
  await service.db.event.updateMany({
    where: { id: { in: ids } },
    data: { attemptCount: 2, nextAttemptAt: new Date(now.getTime() + ms) },
  });
  return ids;
}

async function dueOf({ endpointId }: Of): Promise<EventId[]> {
  const now = await service.now();
  const rows = await service.db.event.findMany({ where: { endpointId, nextAttemptAt: { lte: now } } });
  return rows.map(({ id }) => id as EventId).toSorted();
}

async function one(ms?: number) {
  const of = await service.createEndpoint();
  const [eventId] = await waiting(of, 1, ms);
  if (!eventId) throw new Error('one event was recorded');
  return { of, eventId };
}

describe('SendEventNow', () => {
  it('makes the next attempt due, wakes the delivery, and is recorded in the audit log', async () => {
    const { of, eventId } = await one();
    const { submissionId } = await recorded(service, eventId);
    expect(await sendNow(eventId)).toMatchObject({ eventId, submissionId, attemptNumber: 3 });
    expect(await dueOf(of)).toEqual([eventId]);
    expect(service.woken).toEqual([of.endpointId]);
    expect(await auditOf(of)).toMatchObject([
      { actor: 'olga', action: 'SendEventNow', target: eventId, after: { submissionId, attemptNumber: 3 } },
    ]);
  });

  it('makes an attempt that counts, after which the schedule continues', async () => {
    const { of, eventId } = await one();
    await sendNow(eventId);
    const engine = startTestEngine(service, () => 'timeout');
    await engine.until(async () => (await recorded(service, eventId)).attempts.length === 1);
    await engine.delivery.stop();
    const { state, attemptCount, nextAttemptAt, attempts } = await recorded(service, eventId);
    expect([state, attemptCount, attempts[0]?.number]).toEqual(['pending', 3, 3]);
    // The gap after the third attempt.
    expect(Number(nextAttemptAt) - Number(attempts[0]?.endedAt)).toBe(120_000);
    expect(await dueOf(of)).toEqual([]);
  });

  it('ends an event whose last attempt it was', async () => {
    const { eventId } = await one();
    await service.db.event.update({ where: { id: eventId }, data: { attemptCount: 7 } });
    expect(await sendNow(eventId)).toMatchObject({ attemptNumber: 8 });
    const engine = startTestEngine(service, () => 'timeout');
    await engine.until(async () => (await recorded(service, eventId)).state === 'exhausted');
    await engine.delivery.stop();
    expect((await refused(sendNow(eventId))).refusal?.code).toBe(WRONG_STATE);
  });

  it('does not move an event that is already due to a later place', async () => {
    const { eventId } = await one(-5_000);
    const { nextAttemptAt } = await recorded(service, eventId);
    await sendNow(eventId);
    expect((await recorded(service, eventId)).nextAttemptAt).toEqual(nextAttemptAt);
  });

  it('refuses an event with an attempt in progress, an ended one, and an unknown one', async () => {
    const { of, eventId } = await one(0);
    await claimAttempts(service.pool, [{ endpointId: of.endpointId, slots: 1 }], 20_000);
    expect((await refused(sendNow(eventId))).refusal?.code).toBe(WRONG_STATE);
    await service.db.event.update({
      where: { id: eventId },
      data: { state: 'delivered', leaseUntil: null, settledAt: START },
    });
    const { refusal, error } = await refused(sendNow(eventId));
    expect(refusal?.code).toBe(WRONG_STATE);
    expect(String(error)).toContain('delivered');
    expect((await refused(sendNow(newId<EventId>()))).refusal?.code).toBe(NOT_FOUND);
    expect(await auditOf(of)).toEqual([]);
  });

  it('refuses while the endpoint is disabled, and changes nothing', async () => {
    const { of, eventId } = await one();
    await disable(of);
    expect((await refused(sendNow(eventId))).refusal?.code).toBe(WRONG_STATE);
    expect(await dueOf(of)).toEqual([]);
    expect(await auditOf(of)).toEqual([]);
  });

  it('acts once for repeated calls with a key, even after the attempt', async () => {
    const { of, eventId } = await one();
    const key = crypto.randomUUID();
    const first = await sendNow(eventId, key);
    const later = new Date(Date.now() + HOUR_MS);
    await service.db.event.update({
      where: { id: eventId },
      data: { attemptCount: 3, nextAttemptAt: later },
    });
    expect(await sendNow(eventId, key)).toEqual(first);
    expect(await dueOf(of)).toEqual([]);
    expect(await auditOf(of)).toHaveLength(1);
  });
});

describe('SendPendingEvents', () => {
  it('makes all events of the endpoint due, once, with one audit entry, and wakes the delivery', async () => {
    const of = await service.createEndpoint();
    const ids = await waiting(of, 12);
    expect(await sendPending(of)).toMatchObject({ events: 12, more: false });
    expect(await dueOf(of)).toEqual(ids.toSorted());
    expect(service.woken).toEqual([of.endpointId]);
    expect(await sendPending(of)).toMatchObject({ events: 0, more: false });
    expect(await auditOf(of)).toMatchObject([
      { action: 'SendPendingEvents', target: of.endpointId, after: { environment: 'sandbox', events: 12 } },
      { after: { events: 0 } },
    ]);
  });

  it('leaves other endpoints of the supplier and of others, and attempts in progress', async () => {
    const of = await service.createEndpoint();
    const production = await service.createEndpoint({ accountId: of.accountId, environment: 'production' });
    const other = await service.createEndpoint();
    for (const elsewhere of [production, other]) await waiting(elsewhere, 2);
    const [leased = ''] = await recordDue(service, of, 1);
    await claimAttempts(service.pool, [{ endpointId: of.endpointId, slots: 1 }], 20_000);
    const ids = await waiting(of, 2);
    expect(await sendPending(of)).toMatchObject({ events: 2 });
    expect(await dueOf(of)).toEqual(ids.toSorted());
    expect((await recorded(service, leased as EventId)).nextAttemptAt).toBeNull();
    for (const elsewhere of [production, other]) expect(await dueOf(elsewhere)).toEqual([]);
  });

  it('leaves events recorded before the given time', async () => {
    const of = await service.createEndpoint();
    const ids = await waiting(of, 3);
    const [old = '', ...young] = ids;
    const now = await service.now();
    await service.db.event.update({
      where: { id: old },
      data: { recordedAt: new Date(now.getTime() - HOUR_MS) },
    });
    const recordedSince = new Date(now.getTime() - HOUR_MS / 2);
    expect(await sendPending(of, { recordedSince })).toMatchObject({ events: 2 });
    expect(await dueOf(of)).toEqual(young.toSorted());
    const [entry] = await auditOf(of);
    expect(entry?.after).toMatchObject({ recordedSince: recordedSince.toISOString() });
  });

  it('works in bounded statements that continue where the last one ended, the earliest first', async () => {
    const of = await service.createEndpoint();
    const far = await waiting(of, 3, 2 * HOUR_MS);
    const near = await waiting(of, 4);
    let statements = 0;
    const made = await inTransaction(service.db, (tx) =>
      makeBacklogDue(tx, of.endpointId, {
        ...{ recordedSince: undefined, perStatement: 2 },
        hasTime: () => {
          statements += 1;
          return statements < 3;
        },
      }),
    );
    expect(made).toEqual({ events: 6, more: true });
    const due = await dueOf(of);
    expect(due).toEqual(expect.arrayContaining(near));
    expect(due.filter((id) => far.includes(id))).toHaveLength(2);
    expect(await sendPending(of)).toMatchObject({ events: 1, more: false });
  });

  it('waits for no lock: events that another transaction decides about are left to it', async () => {
    const of = await service.createEndpoint();
    const [locked = '', ...free] = await waiting(of, 3);
    await inTransaction(service.db, async (tx) => {
      await tx.query('SELECT FROM event WHERE id = $1 FOR UPDATE', [locked]);
      expect(await sendPending(of)).toMatchObject({ events: 2, more: false });
    });
    expect(await dueOf(of)).toEqual(free.toSorted());
  });

  it('stays within the limits of the endpoint: one at a time until an attempt succeeds', async () => {
    const of = await service.createEndpoint();
    const ids = await waiting(of, 12);
    await sendPending(of);
    let running = 0;
    let peak = 0;
    const engine = startTestEngine(service, async ({ endpointId }) => {
      if (endpointId !== of.endpointId) return undefined;
      running += 1;
      peak = Math.max(peak, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return 'timeout';
    });
    const failed = { id: { in: ids }, attemptCount: 3, leaseUntil: null };
    await engine.until(async () => (await service.db.event.count({ where: failed })) === 12);
    await engine.delivery.stop();
    expect(peak).toBe(1);
    const attempts = engine.attempts.filter(({ endpointId }) => endpointId === of.endpointId);
    expect(attempts).toHaveLength(12);
  });

  it('refuses without an endpoint in the environment and while it is disabled', async () => {
    const of = await service.createEndpoint();
    const { accountId } = of;
    await waiting(of, 1);
    const elsewhere = operator().sendPendingEvents({ accountId, environment: PRODUCTION });
    expect((await refused(elsewhere)).refusal?.code).toBe(NOT_FOUND);
    await disable(of);
    expect((await refused(sendPending(of))).refusal?.code).toBe(WRONG_STATE);
    expect(await dueOf(of)).toEqual([]);
    expect(await auditOf(of)).toEqual([]);
  });

  it('acts once for repeated calls with a key', async () => {
    const of = await service.createEndpoint();
    await waiting(of, 2);
    const idempotencyKey = crypto.randomUUID();
    const first = await sendPending(of, { idempotencyKey });
    await waiting(of, 2);
    expect(await sendPending(of, { idempotencyKey })).toEqual(first);
    expect(await auditOf(of)).toHaveLength(1);
  });
});

it.each(['staff:viewer', 'staff:privacy', 'staff:billing', 'service:submission'])(
  'refuses %s, and changes nothing',
  async (role) => {
    const { of, eventId } = await one();
    const intruder = server.as('vic', role);
    const { accountId } = of;
    for (const call of [
      () => intruder.sendEventNow({ eventId }),
      () => intruder.sendPendingEvents({ accountId, environment: SANDBOX }),
      () => intruder.redeliverSince({ accountId, environment: SANDBOX, since: toTimestamp(START) }),
    ])
      expect((await refused(call())).error).toMatchObject({ code: Code.PermissionDenied });
    expect(await dueOf(of)).toEqual([]);
    expect(await auditOf(of)).toEqual([]);
  },
);
