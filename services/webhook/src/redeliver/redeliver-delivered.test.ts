import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { endUndelivered, fakeSubmissions } from '../../testing/fake-submissions.ts';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import {
  openTestService,
  refused,
  START,
  startTestServer,
  type TestService,
} from '../../testing/test-service.ts';
import { findRedeliverable } from './redelivery.sql.ts';

const at = (ms: number) => new Date(START.getTime() + ms);
const NOW_MS = 60_000;

const service = forAllTests(() => openTestService());
const submissions = fakeSubmissions(service);
const { ownerOf, restate } = submissions;
const server = forAllTests(() => startTestServer({ ...service.context, ownerOf, restate }));
beforeEach(() => {
  submissions.restated.length = 0;
});

type Endpoint = Awaited<ReturnType<TestService['createEndpoint']>>;

async function createEndpoint(): Promise<Endpoint> {
  service.clock.set(START);
  const endpoint = await service.createEndpoint();
  service.clock.set(at(NOW_MS));
  return endpoint;
}

/** Records an event that ended `ms` after the start, by default of a new submission. */
async function ended(
  { accountId }: Endpoint,
  state: 'delivered' | 'exhausted' | 'expired',
  ms: number,
  submissionId = newId<SubmissionId>(),
) {
  submissions.owners.set(submissionId, { accountId, environment: 'sandbox' });
  const { eventId } = await recordedChange(accountId, submissionId, ms - 1);
  if (state !== 'delivered') await endUndelivered(service, eventId, state, at(ms));
  else {
    const data = { state, settledAt: at(ms), nextAttemptAt: null, attemptCount: 1 };
    await service.db.event.update({ where: { id: eventId }, data });
  }
  return { submissionId, eventId };
}

async function recordedChange(accountId: Endpoint['accountId'], submissionId: SubmissionId, ms: number) {
  const change = statusChanged({ accountId, submissionId, occurredAt: at(ms) });
  await consume(service.context, change);
  return change;
}

const redeliver = ({ accountId }: Endpoint, sinceMs: number, untilMs?: number) =>
  server.as('olga', 'staff:operator').redeliverSince({
    ...{ accountId, environment: Environment.SANDBOX, since: toTimestamp(at(sinceMs)) },
    ...(untilMs !== undefined && { deliveredUntil: toTimestamp(at(untilMs)) }),
  });
const redelivered = async (...call: Parameters<typeof redeliver>) =>
  (await redeliver(...call)).redeliveries.map(({ redeliveredEventIds }) => redeliveredEventIds);

it('redelivers exhausted, expired and delivered events in the order in which they ended', async () => {
  const endpoint = await createEndpoint();
  const expired = await ended(endpoint, 'expired', 300);
  const delivered = await ended(endpoint, 'delivered', 100);
  const exhausted = await ended(endpoint, 'exhausted', 200);
  const expected = [[delivered.eventId], [exhausted.eventId], [expired.eventId]];
  expect(await redelivered(endpoint, 0, NOW_MS)).toEqual(expected);
  expect(await redelivered(endpoint, 0, NOW_MS)).toEqual([]);
});

it('leaves delivered events without a request for them, and those outside the times', async () => {
  const endpoint = await createEndpoint();
  await ended(endpoint, 'delivered', 99);
  const within = await ended(endpoint, 'delivered', 100);
  const last = await ended(endpoint, 'delivered', 199);
  await ended(endpoint, 'delivered', 200);
  expect(await redelivered(endpoint, 100)).toEqual([]);
  expect(await redelivered(endpoint, 100, 200)).toEqual([[within.eventId], [last.eventId]]);
});

it('sends one new event for a submission with delivered and undelivered ones', async () => {
  const endpoint = await createEndpoint();
  const first = await ended(endpoint, 'delivered', 100);
  const second = await ended(endpoint, 'exhausted', 200, first.submissionId);
  expect(await redelivered(endpoint, 150, NOW_MS)).toEqual([[first.eventId, second.eventId]]);
  expect(submissions.restated).toHaveLength(1);
});

it('does not redeliver what it sent when it is repeated with the same times', async () => {
  const endpoint = await createEndpoint();
  const { submissionId } = await ended(endpoint, 'delivered', 100);
  await redeliver(endpoint, 0, NOW_MS);
  await service.db.event.updateMany({
    where: { submissionId, state: 'pending' },
    data: { state: 'delivered', settledAt: at(NOW_MS + 1), nextAttemptAt: null, attemptCount: 1 },
  });
  service.clock.set(at(2 * NOW_MS));
  expect(await redelivered(endpoint, 0, NOW_MS)).toEqual([]);
  expect(await redelivered(endpoint, 0, 2 * NOW_MS)).toHaveLength(1);
});

it('refuses a time in the future, and records the times in the audit log', async () => {
  const endpoint = await createEndpoint();
  const { refusal } = await refused(redeliver(endpoint, 0, NOW_MS + 1));
  expect(refusal).toMatchObject({
    code: RefusalCode.VALIDATION_ERROR,
    violations: [{ path: 'delivered_until' }],
  });
  await redeliver(endpoint, 0, 500);
  const entries = await service.db.auditEntry.findMany({ where: { accountId: endpoint.accountId } });
  expect(entries).toMatchObject([
    { after: { since: START.toISOString(), deliveredUntil: at(500).toISOString() } },
  ]);
});

it('reads a bounded number of events, and finds that there are more', async () => {
  const endpoint = await createEndpoint();
  const { submissionId } = await ended(endpoint, 'delivered', 100);
  for (let ms = 101; ms < 106; ms += 1) await ended(endpoint, 'delivered', ms, submissionId);
  const later = await ended(endpoint, 'delivered', 110);
  const range = { since: START, deliveredUntil: at(NOW_MS) };
  const find = (limit: number) => findRedeliverable(service.pool, endpoint.endpointId, range, limit);
  expect(await find(1)).toEqual({ submissionIds: [submissionId], more: true });
  expect(await find(2)).toEqual({ submissionIds: [submissionId, later.submissionId], more: false });
});
