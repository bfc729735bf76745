import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { DeliveryState, EventChange } from '@supplier/proto/webhook/v1/webhook';
import { endUndelivered, fakeSubmissions } from '../../testing/fake-submissions.ts';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START, startTestServer, type TestService } from '../../testing/test-service.ts';

const { SANDBOX } = Environment;
const at = (ms: number) => new Date(START.getTime() + ms);

const service = forAllTests(() => openTestService());
const submissions = fakeSubmissions(service);
const { ownerOf, restate } = submissions;
const server = forAllTests(() => startTestServer({ ...service.context, ownerOf, restate }));
beforeEach(() => {
  service.clock.set(at(60_000));
  submissions.before = async () => {};
  submissions.restated.length = 0;
});

const operator = () => server.as('olga', 'staff:operator');
type Endpoint = Awaited<ReturnType<TestService['createEndpoint']>>;

async function createEndpoint(): Promise<Endpoint> {
  service.clock.set(START);
  const endpoint = await service.createEndpoint();
  service.clock.set(at(60_000));
  return endpoint;
}

/** Creates an undelivered event, by default of a new submission. */
async function undelivered(
  { accountId }: Endpoint,
  facts: { submissionId?: SubmissionId; state?: 'exhausted' | 'expired'; ms?: number } = {},
) {
  const { submissionId = newId<SubmissionId>(), state = 'exhausted', ms = 10 } = facts;
  submissions.owners.set(submissionId, { accountId, environment: 'sandbox' });
  const change = statusChanged({ accountId, submissionId, occurredAt: at(ms) });
  await consume(service.context, change);
  await endUndelivered(service, change.eventId, state, at(ms + 1_000));
  return { submissionId, eventId: change.eventId };
}

const redeliver = (eventId: EventId) => operator().redeliverEvent({ eventId });
const marksOf = async (ids: readonly EventId[]) => {
  const rows = await service.db.event.findMany({ where: { id: { in: [...ids] } } });
  return ids.map((id) => rows.find((row) => row.id === id)?.redeliveredAs ?? null);
};
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
const codeOf = async (call: Promise<unknown>) => refusalOf(await failureOf(call))?.code;

describe('RedeliverEvent', () => {
  it.each(['exhausted', 'expired'] as const)(
    'delivers the current state in a new event instead of an %s event',
    async (state) => {
      const { submissionId, eventId } = await undelivered(await createEndpoint(), { state });
      const { redelivery } = await redeliver(eventId);
      expect(redelivery).toMatchObject({
        submissionId,
        occurredAt: toTimestamp(at(60_000)),
        redeliveredEventIds: [eventId],
      });
      const { events } = await operator().listEvents({ submissionId });
      expect(events).toMatchObject([
        { eventId, redeliveredAs: redelivery?.eventId },
        { eventId: redelivery?.eventId, change: EventChange.REDELIVERY, state: DeliveryState.PENDING },
      ]);
    },
  );

  it('replaces all undelivered events of the submission, and no others', async () => {
    const endpoint = await createEndpoint();
    const first = await undelivered(endpoint, { ms: 10 });
    const second = await undelivered(endpoint, {
      submissionId: first.submissionId,
      ms: 20,
      state: 'expired',
    });
    const elsewhere = await undelivered(endpoint, { ms: 30 });
    const { redelivery } = await redeliver(second.eventId);
    expect(redelivery?.redeliveredEventIds).toEqual([first.eventId, second.eventId]);
    expect(await marksOf([elsewhere.eventId])).toEqual([null]);
    expect(submissions.restated).toHaveLength(1);
  });

  it('replaces only what nothing replaces, at each of several redeliveries', async () => {
    const { eventId } = await undelivered(await createEndpoint());
    const chain = [eventId];
    for (let time = 0; time < 3; time += 1) {
      const last = chain.at(-1) as EventId;
      service.clock.advance(60_000);
      const { redelivery } = await redeliver(last);
      expect(redelivery?.redeliveredEventIds).toEqual([last]);
      chain.push(redelivery?.eventId as EventId);
      expect(await marksOf(chain)).toEqual([...chain.slice(1), null]);
      await endUndelivered(service, chain.at(-1) as EventId, 'exhausted', service.clock.now());
    }
  });

  it('refuses a redelivered event, naming the event that replaces it', async () => {
    const { eventId } = await undelivered(await createEndpoint());
    const { redelivery } = await redeliver(eventId);
    const error = await failureOf(redeliver(eventId));
    expect(refusalOf(error)?.code).toBe(RefusalCode.WRONG_STATE);
    expect(String(error)).toContain(redelivery?.eventId);
    expect(submissions.restated).toHaveLength(1);
  });

  it('succeeds for exactly one of many concurrent calls', async () => {
    const { eventId } = await undelivered(await createEndpoint());
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => redeliver(eventId)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(submissions.restated).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      expect([Code.FailedPrecondition, Code.Unavailable]).toContain((result.reason as ConnectError).code);
    }
  });

  it('refuses events that are pending, delivered, superseded or dropped', async () => {
    const { accountId } = await createEndpoint();
    const submissionId = newId<SubmissionId>();
    const changes = [10, 20, -10].map((ms) => statusChanged({ accountId, submissionId, occurredAt: at(ms) }));
    for (const change of changes) await consume(service.context, change);
    const delivered = statusChanged({ accountId, occurredAt: at(10) });
    await consume(service.context, delivered);
    await service.db.event.update({
      where: { id: delivered.eventId },
      data: { state: 'delivered', settledAt: at(20), nextAttemptAt: null, attemptCount: 1 },
    });
    for (const { eventId } of [...changes, delivered]) {
      expect(await codeOf(redeliver(eventId))).toBe(RefusalCode.WRONG_STATE);
    }
    expect(submissions.restated).toEqual([]);
  });

  it('refuses an unknown event, and one whose endpoint is disabled', async () => {
    expect(await codeOf(redeliver(newId<EventId>()))).toBe(RefusalCode.NOT_FOUND);
    const endpoint = await createEndpoint();
    const { eventId } = await undelivered(endpoint);
    await service.db.endpoint.update({ where: { id: endpoint.endpointId }, data: { enabled: false } });
    expect(await codeOf(redeliver(eventId))).toBe(RefusalCode.WRONG_STATE);
    expect(submissions.restated).toEqual([]);
    expect(await service.db.auditEntry.count({ where: { accountId: endpoint.accountId } })).toBe(0);
  });

  it('marks nothing when the endpoint is disabled before the new event, which is dropped', async () => {
    const endpoint = await createEndpoint();
    const { eventId } = await undelivered(endpoint);
    submissions.before = async () => {
      await service.db.endpointActivity.updateMany({
        where: { endpointId: endpoint.endpointId },
        data: { activeUntil: at(30_000) },
      });
    };
    expect(await codeOf(redeliver(eventId))).toBe(RefusalCode.WRONG_STATE);
    expect(await marksOf([eventId])).toEqual([null]);
  });

  it('can be repeated when it was interrupted between the new event and the marking', async () => {
    const endpoint = await createEndpoint();
    const { eventId, submissionId } = await undelivered(endpoint);
    await service.pool.query(
      `ALTER TABLE event ADD CONSTRAINT broken CHECK (redelivered_as IS NULL) NOT VALID`,
    );
    expect(await failureOf(redeliver(eventId))).toBeDefined();
    await service.pool.query('ALTER TABLE event DROP CONSTRAINT broken');
    expect(await marksOf([eventId])).toEqual([null]);
    service.clock.advance(1_000);
    const { redelivery } = await redeliver(eventId);
    const { events } = await operator().listEvents({ submissionId });
    expect(events.map(({ state }) => state)).toEqual([
      DeliveryState.EXHAUSTED,
      DeliveryState.SUPERSEDED,
      DeliveryState.PENDING,
    ]);
    expect(events.at(-1)?.eventId).toBe(redelivery?.eventId);
  });

  it('fails as unavailable, with nothing marked, while the submission service is unavailable', async () => {
    const { eventId } = await undelivered(await createEndpoint());
    submissions.before = async () => {
      throw new ConnectError('unavailable', Code.Unavailable);
    };
    expect(await failureOf(redeliver(eventId))).toMatchObject({ code: Code.Unavailable });
    expect(await marksOf([eventId])).toEqual([null]);
  });
});

describe('RedeliverSince', () => {
  const redeliverSince = ({ accountId }: Endpoint, since = START) =>
    operator().redeliverSince({ accountId, environment: SANDBOX, since: toTimestamp(since) });

  it('sends one new event for each submission with undelivered events, longest settled first', async () => {
    const endpoint = await createEndpoint();
    const later = await undelivered(endpoint, { ms: 300 });
    const first = await undelivered(endpoint, { ms: 100, state: 'expired' });
    const again = await undelivered(endpoint, { submissionId: first.submissionId, ms: 400 });
    const { redeliveries, more } = await redeliverSince(endpoint);
    expect(redeliveries.map(({ redeliveredEventIds }) => redeliveredEventIds)).toEqual([
      [first.eventId, again.eventId],
      [later.eventId],
    ]);
    expect(more).toBe(false);
    const marks = redeliveries.map(({ eventId }) => eventId);
    expect(await marksOf([first.eventId, again.eventId, later.eventId])).toEqual([
      marks[0],
      marks[0],
      marks[1],
    ]);
    expect(submissions.restated).toMatchObject([
      { reason: 'redelivery', by: 'olga' },
      { reason: 'redelivery', by: 'olga' },
    ]);
    expect((await redeliverSince(endpoint)).redeliveries).toEqual([]);
  });

  it('does not affect events settled before the given time, or other endpoints', async () => {
    const endpoint = await createEndpoint();
    const old = await undelivered(endpoint, { ms: 0 });
    const young = await undelivered(endpoint, { ms: 1 });
    const elsewhere = await undelivered(await createEndpoint(), { ms: 1 });
    const { redeliveries } = await redeliverSince(endpoint, at(1_001));
    expect(redeliveries.map(({ submissionId }) => submissionId)).toEqual([young.submissionId]);
    expect(await marksOf([old.eventId, elsewhere.eventId])).toEqual([null, null]);
  });

  it('redelivers at most 200 submissions per call, eight concurrently, and returns that there are more', async () => {
    const endpoint = await createEndpoint();
    await service.pool.query(
      `INSERT INTO event (id, submission_id, account_id, environment, endpoint_id, change, occurred_at, recorded_at,
                          sealed_body, state, attempt_count, settled_at)
       SELECT gen_random_uuid(), gen_random_uuid(), $1, 'sandbox', $2, 'decided', $3, $3, '\\x00', 'exhausted', 8,
              $3::timestamptz + n * interval '1 ms' FROM generate_series(1, 203) n`,
      [endpoint.accountId, endpoint.endpointId, at(10)],
    );
    const rows = await service.db.event.findMany({ where: { endpointId: endpoint.endpointId } });
    for (const { submissionId } of rows) {
      submissions.owners.set(submissionId as SubmissionId, {
        accountId: endpoint.accountId,
        environment: 'sandbox',
      });
    }
    let running = 0;
    let peak = 0;
    submissions.before = async () => {
      running += 1;
      peak = Math.max(peak, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const counts: number[] = [];
    for (let call = 0, more = true; more && call < 10; call += 1) {
      const answer = await redeliverSince(endpoint);
      counts.push(answer.redeliveries.length);
      more = answer.more;
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(200);
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum, count) => sum + count)).toBe(203);
    expect(new Set(submissions.restated.map(({ submissionId }) => submissionId)).size).toBe(203);
    expect(submissions.restated).toHaveLength(203);
    expect(peak).toBeLessThanOrEqual(8);
  });

  it('returns that there are more when its time ends before its 200 submissions', async () => {
    const endpoint = await createEndpoint();
    for (let ms = 1; ms <= 20; ms += 1) await undelivered(endpoint, { ms });
    const { now } = performance;
    submissions.before = async () => {
      const value = () => Reflect.apply(now, performance, []) + 2_500;
      Object.defineProperty(performance, 'now', { value, configurable: true });
    };
    try {
      const { redeliveries, more } = await redeliverSince(endpoint);
      expect(redeliveries.length).toBeLessThan(20);
      expect(more).toBe(true);
    } finally {
      Reflect.deleteProperty(performance, 'now');
    }
    submissions.before = async () => {};
    expect(await redeliverSince(endpoint)).toMatchObject({ more: false });
    expect(submissions.restated).toHaveLength(20);
  });

  it('keeps its progress when it fails midway, and continues from there when repeated', async () => {
    const endpoint = await createEndpoint();
    const events = [];
    for (let ms = 1; ms <= 24; ms += 1) events.push(await undelivered(endpoint, { ms }));
    const broken = events[5]?.submissionId;
    submissions.before = async (submissionId) => {
      if (submissionId === broken) throw new ConnectError('unavailable', Code.Unavailable);
    };
    expect(await failureOf(redeliverSince(endpoint))).toMatchObject({ code: Code.Unavailable });
    const marked = (await marksOf(events.map(({ eventId }) => eventId))).filter((mark) => mark !== null);
    expect(marked).toHaveLength(submissions.restated.length);
    expect(marked.length).toBeLessThan(20);
    submissions.before = async () => {};
    const { redeliveries } = await redeliverSince(endpoint);
    expect(redeliveries).toHaveLength(24 - marked.length);
    expect(submissions.restated).toHaveLength(24);
  });

  it('redelivers nothing twice for two concurrent calls, and refuses one of them with a request to retry', async () => {
    const endpoint = await createEndpoint();
    const { eventId } = await undelivered(endpoint);
    for (let ms = 20; ms < 30; ms += 1) await undelivered(endpoint, { ms });
    const results = await Promise.allSettled([
      redeliverSince(endpoint),
      redeliverSince(endpoint),
      redeliver(eventId),
    ]);
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    const perSubmission = new Map<string, number>();
    for (const { submissionId } of submissions.restated) {
      perSubmission.set(submissionId, (perSubmission.get(submissionId) ?? 0) + 1);
    }
    expect([...perSubmission.values()].every((count) => count === 1)).toBe(true);
  });

  it('is recorded in the audit log, and refused without an endpoint or while it is disabled', async () => {
    const endpoint = await createEndpoint();
    await redeliverSince(endpoint);
    expect(await service.db.auditEntry.findMany({ where: { accountId: endpoint.accountId } })).toMatchObject([
      {
        actor: 'olga',
        action: 'RedeliverSince',
        after: { environment: 'sandbox', endpointId: endpoint.endpointId, since: START.toISOString() },
      },
    ]);
    await service.db.endpoint.update({ where: { id: endpoint.endpointId }, data: { enabled: false } });
    expect(await codeOf(redeliverSince(endpoint))).toBe(RefusalCode.WRONG_STATE);
    const nobody = { ...endpoint, accountId: newId<typeof endpoint.accountId>() };
    expect(await codeOf(redeliverSince(nobody))).toBe(RefusalCode.NOT_FOUND);
  });
});
