import { create } from '@bufbuild/protobuf';
import { eventually, forAllTests } from '@supplier/lib/testing';
import {
  type AccountId,
  type EndpointId,
  type EventId,
  newId,
  type SubmissionId,
} from '@supplier/lib/text/ids';
import { renderStatus } from '@supplier/lib/text/status-object';
import { toTimestamp } from '@supplier/lib/text/time';
import { type Handoff, HandoffSchema } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { DeliveryState } from '@supplier/proto/webhook/v1/webhook';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recordedBody } from '../../testing/test-engine.ts';
import { openTestService, START, startTestServer } from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import { type AttemptError, type ClaimedAttempt, interrupted, verdictOn } from '../model/attempt.ts';
import { answerHeadAad } from '../store/sealed-values.ts';
import { settleAttempts } from '../store/settle-attempts.sql.ts';

const HANDOFF = create(HandoffSchema, {
  customerJourneyUrl: 'https://journey.test/j/secret',
  expiresAt: toTimestamp(new Date('2026-11-23T10:00:00.000Z')),
});
const LINK = 'journey.test';
const at = (ms: number) => new Date(START.getTime() + ms);

/** Submissions that were restated, and the action when a link is requested. */
let restated: SubmissionId[] = [];
let giveLink: (submissionId: SubmissionId) => Promise<Handoff | undefined>;

const service = forAllTests(() =>
  openTestService({
    handoffOf: (submissionId) => giveLink(submissionId),
    restate: async (submissionId) => {
      restated.push(submissionId);
      return { eventId: newId<EventId>(), occurredAt: at(3_600_000) };
    },
  }),
);
const server = forAllTests(() => startTestServer(service.context));
beforeEach(() => {
  restated = [];
  giveLink = async () => HANDOFF;
});

const rowOf = (id: EventId) => service.db.event.findUniqueOrThrow({ where: { id } });

const bodyOf = (eventId: EventId) => recordedBody(service, eventId);

async function erase(submissionId: SubmissionId) {
  const erased = await server.as('submission', 'service:submission').eraseDeliveries({ submissionId });
  return { events: Number(erased.eventsErased), attempts: Number(erased.attemptsErased) };
}

/** A recorded event, by default with a link. */
async function recorded(change = StatusChange.HANDOFF_AVAILABLE) {
  const { accountId, endpointId } = await service.createEndpoint();
  const changed = statusChanged({ accountId, occurredAt: at(1), change });
  await consume(service.context, changed);
  return { ...changed, accountId, endpointId };
}

async function claim(endpointId: EndpointId): Promise<ClaimedAttempt> {
  const [claimed] = await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 20_000);
  if (!claimed) throw new Error('nothing to claim');
  return claimed;
}

/** The end of an attempt whose response repeated the link. */
function ended(claimed: ClaimedAttempt, error?: AttemptError) {
  const { eventId, number, startedAt: endedAt } = claimed;
  const head = Buffer.from(`thanks for ${LINK}`);
  return {
    ...interrupted(claimed, endedAt, () => 0.5),
    error,
    statusCode: error ? 500 : 200,
    sealedAnswerHead: service.context.keyRing.seal(head, answerHeadAad(eventId, number)),
    verdict: verdictOn({ number, endedAt, error }, () => 0.5),
  };
}

async function attempted(endpointId: EndpointId, error?: AttemptError) {
  expect(await settleAttempts(service.pool, [ended(await claim(endpointId), error)])).toEqual([true]);
}

/** Asserts that no body or response of the submission contains the link. */
async function expectNoLink(submissionId: SubmissionId) {
  const events = await service.db.event.findMany({ where: { submissionId }, include: { attempts: true } });
  for (const { id, attempts } of events) {
    expect(await bodyOf(id as EventId)).not.toContain(LINK);
    for (const { sealedAnswerHead } of attempts) expect(sealedAnswerHead).toBeNull();
  }
}

/** Locks a delivery, as an operation in progress does. Resolves to a function that runs `last` and releases it. */
async function holding(eventId: EventId) {
  const holder = await service.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM event WHERE id = $1 FOR UPDATE', [eventId]);
  return async (last: (holder: typeof service.pool) => Promise<unknown> = async () => {}) => {
    await last(holder as unknown as typeof service.pool);
    await holder.query('COMMIT');
    holder.release();
  };
}

/** Returns the number of sessions in this test's database that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await service.pool.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.n;
}

describe('EraseDeliveries', () => {
  it('removes the link from a body that was not sent yet, which is delivered under the same id', async () => {
    const { eventId, submissionId, submission, endpointId } = await recorded();
    expect(await bodyOf(eventId)).toContain(LINK);
    const before = await rowOf(eventId);
    expect(await erase(submissionId)).toEqual({ events: 1, attempts: 0 });
    expect(await bodyOf(eventId)).toBe(
      JSON.stringify({
        id: eventId,
        type: 'submission.status_changed',
        occurred_at: at(1).toISOString(),
        data: renderStatus(submission),
      }),
    );
    const { nextAttemptAt, state, bodyErasedAt } = await rowOf(eventId);
    expect({ nextAttemptAt, state }).toEqual({ nextAttemptAt: before.nextAttemptAt, state: 'pending' });
    expect(bodyErasedAt).not.toBeNull();
    expect((await claim(endpointId)).eventId).toBe(eventId);
    expect(restated).toEqual([]);
  });

  it('clears a delivered body and its response, and GetEvent reports this', async () => {
    const { eventId, submissionId, endpointId } = await recorded();
    await attempted(endpointId);
    expect(await erase(submissionId)).toEqual({ events: 1, attempts: 1 });
    expect((await rowOf(eventId)).sealedBody).toHaveLength(0);
    await expectNoLink(submissionId);
    const event = await server.as('ada', 'staff:admin').getEvent({ purpose: 'read by a test', eventId });
    expect(event.state).toBe(DeliveryState.DELIVERED);
    expect(event.bodyErasedAt).toBeDefined();
    expect(event.attempts).toMatchObject([{ number: 1, statusCode: 200, answerErased: true }]);
    expect(event.attempts[0]?.answerHead).toHaveLength(0);
  });

  it('ends a delivery whose body was sent, and restates the current status once instead', async () => {
    const { eventId, submissionId, endpointId } = await recorded();
    await attempted(endpointId, 'status');
    expect(await erase(submissionId)).toEqual({ events: 1, attempts: 1 });
    expect(await rowOf(eventId)).toMatchObject({ state: 'expired', nextAttemptAt: null });
    expect((await rowOf(eventId)).redeliveredAs).not.toBeNull();
    expect((await rowOf(eventId)).sealedBody).toHaveLength(0);
    await expectNoLink(submissionId);
    expect(restated).toEqual([submissionId]);
    expect(await erase(submissionId)).toEqual({ events: 1, attempts: 1 });
    expect(restated).toEqual([submissionId]);
  });

  it('restates the current status in a later call when the first one could not', async () => {
    const { submissionId, endpointId } = await recorded();
    await attempted(endpointId, 'status');
    const away = await startTestServer({
      ...service.context,
      restate: () => Promise.reject(new Error('away')),
    });
    await expect(
      away.as('submission', 'service:submission').eraseDeliveries({ submissionId }),
    ).rejects.toThrow();
    await away.close();
    await erase(submissionId);
    expect(restated).toEqual([submissionId]);
  });

  it('leaves the restatement to staff when the endpoint is disabled', async () => {
    const { eventId, submissionId, endpointId } = await recorded();
    await attempted(endpointId, 'status');
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    await erase(submissionId);
    expect(restated).toEqual([]);
    expect(await rowOf(eventId)).toMatchObject({ state: 'expired', redeliveredAs: null });
  });

  it('abandons an attempt in progress; a later success counts, without its response', async () => {
    const { eventId, submissionId, endpointId } = await recorded();
    const claimed = await claim(endpointId);
    expect(await erase(submissionId)).toEqual({ events: 1, attempts: 1 });
    expect(await rowOf(eventId)).toMatchObject({ state: 'expired', leaseUntil: null });
    const { startedAt } = claimed;
    const cut = { startedAt, errorClass: 'interrupted' };
    expect(await service.db.attempt.findMany({ where: { eventId } })).toMatchObject([cut]);
    expect(await settleAttempts(service.pool, [ended(claimed)])).toEqual([true]);
    await expectNoLink(submissionId);
    const [attempt] = await service.db.attempt.findMany({ where: { eventId } });
    expect(attempt).toMatchObject({ statusCode: 200, errorClass: null });
    expect(await rowOf(eventId)).toMatchObject({ state: 'expired' });
  });

  it('leaves a delivery without a link unchanged, even one in progress', async () => {
    const { eventId, submissionId, endpointId } = await recorded(StatusChange.DECIDED);
    const body = await bodyOf(eventId);
    const claimed = await claim(endpointId);
    expect(await erase(submissionId)).toEqual({ events: 0, attempts: 1 });
    expect(await bodyOf(eventId)).toBe(body);
    expect(await rowOf(eventId)).toMatchObject({ state: 'pending', attemptCount: 1, bodyErasedAt: null });
    expect(await settleAttempts(service.pool, [ended(claimed)])).toEqual([true]);
    expect(await rowOf(eventId)).toMatchObject({ state: 'delivered' });
    await expectNoLink(submissionId);
    expect(restated).toEqual([]);
  });

  it('prevents responses of later attempts from being kept', async () => {
    const { submissionId, endpointId } = await recorded();
    expect((await claim((await recorded()).endpointId)).isErased).toBe(false);
    await erase(submissionId);
    expect((await claim(endpointId)).isErased).toBe(true);
  });

  it('keeps a link out of a body that was requested before and is recorded after', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(1), change: StatusChange.HANDOFF_AVAILABLE });
    giveLink = async (submissionId) => {
      await erase(submissionId);
      return HANDOFF;
    };
    await consume(service.context, change);
    expect(await bodyOf(change.eventId)).toContain(change.submissionId);
    await expectNoLink(change.submissionId);
  });

  it('keeps a link out of a body that is recorded during the erasure', async () => {
    const { eventId, submissionId, accountId } = await recorded();
    const release = await holding(eventId);
    const erased = erase(submissionId);
    await eventually('the erasure waits', async () => (await waiting()) === 1);
    const change = StatusChange.HANDOFF_AVAILABLE;
    const later = statusChanged({ accountId, submissionId, occurredAt: at(2), change });
    const recording = consume(service.context, later);
    await eventually('the recording waits', async () => (await waiting()) === 2);
    await release();
    await Promise.all([erased, recording]);
    expect(await bodyOf(later.eventId)).toContain(submissionId);
    await expectNoLink(submissionId);
  });

  it('abandons an attempt that begins before it locks the delivery', async () => {
    const { eventId, submissionId, endpointId } = await recorded();
    const release = await holding(eventId);
    const erased = erase(submissionId);
    await eventually('the erasure waits', async () => (await waiting()) === 1);
    await release((holder) => claimAttempts(holder, [{ endpointId, slots: 1 }], 20_000));
    expect(await erased).toEqual({ events: 1, attempts: 1 });
    expect(await rowOf(eventId)).toMatchObject({ state: 'expired', leaseUntil: null });
    expect(restated).toEqual([submissionId]);
  });

  it('leaves other submissions unchanged, and accepts an unknown one', async () => {
    const { eventId, endpointId } = await recorded();
    await attempted(endpointId, 'status');
    const before = await rowOf(eventId);
    expect(await erase(newId<SubmissionId>())).toEqual({ events: 0, attempts: 0 });
    expect(await rowOf(eventId)).toEqual(before);
  });

  it('processes more events than one transaction takes, and is audited', async () => {
    const { accountId } = await service.createEndpoint();
    const submissionId = newId<SubmissionId>();
    const changes = Array.from({ length: 201 }, (_, ms) =>
      statusChanged({
        accountId: accountId as AccountId,
        submissionId,
        occurredAt: at(ms),
        change: StatusChange.HANDOFF_AVAILABLE,
      }),
    );
    await consume(service.context, ...changes);
    expect(await erase(submissionId)).toEqual({ events: 201, attempts: 0 });
    await expectNoLink(submissionId);
    const entries = await service.db.auditEntry.findMany({ where: { target: submissionId } });
    expect(entries.map(({ action, after }) => ({ action, after }))).toEqual([
      { action: 'EraseDeliveries', after: { events: 200, attempts: 0 } },
      { action: 'EraseDeliveries', after: { events: 1, attempts: 0 } },
    ]);
  });
});
