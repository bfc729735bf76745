import { forAllTests, refused } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { endUndelivered, fakeSubmissions } from '../testing/fake-submissions.ts';
import { consume, statusChanged } from '../testing/status-changes.ts';
import { openTestService, START, startTestServer, type TestServer } from '../testing/test-service.ts';

const { SANDBOX } = Environment;
const LATER = new Date(START.getTime() + 60_000);

let server: TestServer;
let key: string;
let isAccountServiceUp = true;
afterAll(() => server?.close());
const service = forAllTests(() => openTestService());
const submissions = fakeSubmissions(service);
beforeAll(async () => {
  const { ownerOf, restate } = submissions;
  server = await startTestServer({
    ...{ ...service.context, ownerOf, restate },
    accountExists: async () => {
      if (!isAccountServiceUp) throw new Error('unavailable');
      return true;
    },
  });
});
beforeEach(() => {
  key = crypto.randomUUID();
  isAccountServiceUp = true;
  service.clock.set(START);
  submissions.before = async () => {};
  submissions.after = async () => {};
  submissions.restated.length = 0;
});

const as = (subject = 'olga', role = 'staff:admin') => server.as(subject, role);
const entriesOf = (accountId: AccountId) => service.db.auditEntry.count({ where: { accountId } });
const fail = async () => {
  throw new Error('the answer is lost');
};

/** An account with an endpoint, a submission, and `events` undelivered events of other submissions. */
async function endpointWith(events: number) {
  service.clock.set(START);
  const { accountId } = await service.createEndpoint();
  const submissionId = newId<SubmissionId>();
  submissions.owners.set(submissionId, { accountId, environment: 'sandbox' });
  const exhausted = [];
  for (let ms = 10; ms < 10 + events; ms += 1) {
    const of = newId<SubmissionId>();
    submissions.owners.set(of, { accountId, environment: 'sandbox' });
    const occurredAt = new Date(START.getTime() + ms);
    const change = statusChanged({ accountId, submissionId: of, occurredAt });
    await consume(service.context, change);
    await endUndelivered(service, change.eventId, 'exhausted', occurredAt);
    exhausted.push(change.eventId);
  }
  service.clock.set(LATER);
  return { accountId, submissionId, exhausted };
}

describe('CreateEndpoint with an idempotency key', () => {
  const request = (accountId = newId<AccountId>()) => ({
    ...{ accountId, environment: SANDBOX, url: 'https://receiver.test/', idempotencyKey: key },
  });

  it('creates one endpoint, and returns its secret only in the first response', async () => {
    const asked = request();
    const { endpoint, signingSecret, secretAlreadyShown } = await as().createEndpoint(asked);
    expect([signingSecret !== '', secretAlreadyShown]).toEqual([true, false]);
    isAccountServiceUp = false;
    expect(await as().createEndpoint(asked)).toMatchObject({
      ...{ endpoint, signingSecret: '', secretAlreadyShown: true },
    });
    expect(await entriesOf(asked.accountId)).toBe(1);
    const [row] = await service.db.idempotentCall.findMany({ orderBy: { begunAt: 'desc' }, take: 1 });
    expect(Buffer.from(row?.answer ?? []).toString('latin1')).not.toContain(signingSecret);
  });
});

describe('SendTestEvent with an idempotency key', () => {
  it('sends one event and writes one audit entry for any number of calls', async () => {
    const { submissionId, accountId } = await endpointWith(0);
    const request = { submissionId, idempotencyKey: key };
    const sent = await as().sendTestEvent(request);
    expect(await as().sendTestEvent(request)).toEqual(sent);
    expect(submissions.restated).toHaveLength(1);
    expect(await entriesOf(accountId)).toBe(1);
  });

  it('finds the event whose response from the submission service was lost', async () => {
    const { submissionId, accountId } = await endpointWith(0);
    const request = { submissionId, idempotencyKey: key };
    submissions.after = fail;
    expect(await refused(as().sendTestEvent(request))).toMatchObject({ code: 'Internal' });
    submissions.after = async () => {};
    const { eventId } = await as().sendTestEvent(request);
    expect(submissions.restated).toMatchObject([{ eventId }]);
    expect(await entriesOf(accountId)).toBe(1);
  });
});

describe('RedeliverEvent with an idempotency key', () => {
  it('redelivers once and repeats its response, even once the event is redelivered', async () => {
    const { exhausted, accountId } = await endpointWith(1);
    const request = { eventId: exhausted[0] ?? '', idempotencyKey: key };
    const done = await as().redeliverEvent(request);
    expect(await as().redeliverEvent(request)).toEqual(done);
    expect(submissions.restated).toHaveLength(1);
    expect(await entriesOf(accountId)).toBe(1);
    const otherKey = as().redeliverEvent({ ...request, idempotencyKey: '' });
    expect(await refused(otherKey)).toMatchObject({ refusal: 'WRONG_STATE' });
  });

  it('releases the key when the endpoint is disabled meanwhile, and redelivers on the next call', async () => {
    const { exhausted, accountId } = await endpointWith(1);
    const request = { eventId: exhausted[0] ?? '', idempotencyKey: key };
    const place = { accountId, environment: SANDBOX };
    submissions.before = async () => {
      await as().disableEndpoint(place);
      service.clock.advance(1_000);
    };
    expect(await refused(as().redeliverEvent(request))).toMatchObject({ refusal: 'WRONG_STATE' });
    submissions.before = async () => {};
    await as().enableEndpoint(place);
    service.clock.advance(1_000);
    const { redelivery } = await as().redeliverEvent(request);
    expect(redelivery?.redeliveredEventIds).toEqual(exhausted);
  });
});

describe('RedeliverSince with an idempotency key', () => {
  const requestFor = (accountId: AccountId) => ({
    ...{ accountId, environment: SANDBOX, since: toTimestamp(START), idempotencyKey: key },
  });

  it('redelivers once and repeats its response, though nothing is left to redeliver', async () => {
    const { accountId } = await endpointWith(3);
    const done = await as().redeliverSince(requestFor(accountId));
    expect(done.redeliveries).toHaveLength(3);
    expect(await as().redeliverSince(requestFor(accountId))).toEqual(done);
    expect(submissions.restated).toHaveLength(3);
    expect(await entriesOf(accountId)).toBe(1);
  });

  it('sends no second event for a submission whose response was lost', async () => {
    const { accountId } = await endpointWith(3);
    const [lost] = [...submissions.owners.keys()].slice(-1);
    submissions.after = async (submissionId) => {
      if (submissionId === lost) await fail();
    };
    await refused(as().redeliverSince(requestFor(accountId)));
    submissions.after = async () => {};
    await as().redeliverSince(requestFor(accountId));
    const restated = submissions.restated.map(({ submissionId }) => submissionId);
    expect(restated).toHaveLength(3);
    expect(new Set(restated).size).toBe(3);
    expect(await entriesOf(accountId)).toBe(1);
  });
});
