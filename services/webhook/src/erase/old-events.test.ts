import { forAllTests } from '@supplier/lib/testing';
import {
  type AccountId,
  type EndpointId,
  type EventId,
  newId,
  type SubmissionId,
} from '@supplier/lib/text/ids';
import { openTestService } from '../../testing/test-service.ts';
import { deleteOldEvents } from './delete-old-events.ts';

const DAYS_30_MS = 30 * 86_400_000;
/** Longer than anything in these tests takes. */
const MINUTE_MS = 60_000;
const SETTLED = ['delivered', 'exhausted', 'superseded', 'expired', 'dropped'] as const;

let endpoint: { accountId: AccountId; endpointId: EndpointId };
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  const { accountId, endpointId } = await service.createEndpoint();
  endpoint = { accountId, endpointId };
});
beforeEach(() => service.pool.query('TRUNCATE event, attempt'));

async function event(state: (typeof SETTLED)[number] | 'pending', settledMsAgo: number, attempts = 0) {
  const id = newId<EventId>();
  const time = new Date(Date.now() - settledMsAgo);
  // Its attempts took months.
  const recordedAt = new Date(time.getTime() - 3 * DAYS_30_MS);
  await service.db.event.create({
    data: {
      ...endpoint,
      id,
      submissionId: newId<SubmissionId>(),
      environment: 'sandbox',
      change: 'decided',
      occurredAt: recordedAt,
      recordedAt,
      sealedBody: new Uint8Array(1),
      state,
      supersededBy: state === 'superseded' ? newId() : null,
      attemptCount: attempts,
      nextAttemptAt: state === 'pending' ? time : null,
      settledAt: state === 'pending' ? null : time,
    },
  });
  await service.db.attempt.createMany({
    data: Array.from({ length: attempts }, (_, index) => ({
      eventId: id,
      number: index + 1,
      startedAt: time,
      endedAt: time,
      keyFingerprint: '00000000',
      errorClass: 'timeout' as const,
    })),
  });
  return id;
}

const sweep = () => deleteOldEvents.run(service.context);

const kept = async () => (await service.db.event.findMany({ select: { id: true } })).map(({ id }) => id);

describe('settled event', () => {
  it.each(SETTLED)('is kept for thirty days and then deleted with its attempts (%s)', async (state) => {
    const attempts = state === 'superseded' ? 0 : 2;
    await event(state, DAYS_30_MS + 1, attempts);
    const boundary = await event(state, DAYS_30_MS - MINUTE_MS, attempts);
    expect(await sweep()).toEqual({ count: 1, more: false });
    expect(await kept()).toEqual([boundary]);
    expect(await service.db.attempt.count()).toBe(attempts);
  });

  it('is kept for the configured time', async () => {
    await event('delivered', 86_400_001);
    const boundary = await event('delivered', 86_400_000 - MINUTE_MS);
    await deleteOldEvents.run({ ...service.context, retentionMs: 86_400_000 });
    expect(await kept()).toEqual([boundary]);
  });

  it('is deleted in steps when there are many, and the sweep returns that there are more', async () => {
    await service.pool.query(`
      INSERT INTO event (id, submission_id, account_id, environment, change, occurred_at, recorded_at, state, settled_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'sandbox', 'decided', '2020-01-01', '2020-01-01',
             'dropped', '2020-01-01'::timestamptz + n * interval '1 day' FROM generate_series(1001, 1, -1) AS n`);
    for (const count of [500, 500]) {
      expect(await sweep()).toEqual({ count, more: true });
      const latest = await service.db.event.aggregate({ _max: { settledAt: true } });
      expect(latest._max.settledAt).toEqual(new Date(Date.parse('2020-01-01') + 1_001 * 86_400_000));
    }
    expect(await sweep()).toEqual({ count: 1, more: false });
  });
});

it('a settled event is deleted without affecting undelivered events of any age or audit entries', async () => {
  const pending = await event('pending', 10 * DAYS_30_MS, 3);
  await service.db.auditEntry.create({
    data: {
      at: new Date(0),
      actor: 'x',
      action: 'x',
      accountId: endpoint.accountId,
      ...{ issuer: '', roles: [], target: '', purpose: '' },
      requestId: 'x',
    },
  });
  expect(await sweep()).toEqual({ count: 0, more: false });
  expect(await kept()).toEqual([pending]);
  expect(await service.db.auditEntry.count()).toBe(1);
});
