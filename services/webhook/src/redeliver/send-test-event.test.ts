import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { DeliveryState, EventChange } from '@supplier/proto/webhook/v1/webhook';
import { fakeSubmissions } from '../../testing/fake-submissions.ts';
import { openTestService, START, startTestServer } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
const submissions = fakeSubmissions(service);
const { ownerOf, restate } = submissions;
const server = forAllTests(() => startTestServer({ ...service.context, ownerOf, restate }));
beforeEach(() => {
  service.clock.set(START);
  submissions.before = async () => {};
  submissions.restated.length = 0;
});

const operator = () => server.as('olga', 'staff:operator');

/** Creates a submission of an account with an endpoint. */
async function submissionWithEndpoint() {
  const endpoint = await service.createEndpoint();
  const submissionId = newId<SubmissionId>();
  submissions.owners.set(submissionId, { accountId: endpoint.accountId, environment: 'sandbox' });
  return { ...endpoint, submissionId };
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('test event', () => {
  it('is recorded for delivery as a test, under the returned id and time', async () => {
    const { submissionId, accountId } = await submissionWithEndpoint();
    const { eventId, occurredAt } = await operator().sendTestEvent({ submissionId });
    expect(occurredAt).toEqual(toTimestamp(START));
    const { events } = await operator().listEvents({ submissionId });
    expect(events).toMatchObject([
      { eventId, occurredAt, accountId, change: EventChange.TEST, state: DeliveryState.PENDING },
    ]);
  });

  it("is sent with the person's name to the submission service, for its audit log", async () => {
    const { submissionId } = await submissionWithEndpoint();
    await operator().sendTestEvent({ submissionId });
    expect(submissions.restated).toMatchObject([{ submissionId, reason: 'test', by: 'olga' }]);
  });

  it('is never emitted without an audit entry, even when emitting fails', async () => {
    const { submissionId, accountId } = await submissionWithEndpoint();
    submissions.before = async () => {
      throw new Error('unavailable');
    };
    expect(await failureOf(operator().sendTestEvent({ submissionId }))).toBeDefined();
    expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(1);
  });

  it('of an unknown submission is refused', async () => {
    const error = await failureOf(operator().sendTestEvent({ submissionId: newId<SubmissionId>() }));
    expect(refusalOf(error)?.code).toBe(RefusalCode.NOT_FOUND);
  });

  it('without an endpoint in its environment is refused before anything is emitted or recorded', async () => {
    const { accountId } = await service.createEndpoint({ environment: 'production' });
    const without = newId<AccountId>();
    for (const owner of [accountId, without]) {
      const submissionId = newId<SubmissionId>();
      submissions.owners.set(submissionId, { accountId: owner, environment: 'sandbox' });
      const error = await failureOf(operator().sendTestEvent({ submissionId }));
      expect(refusalOf(error)?.code).toBe(RefusalCode.WRONG_STATE);
      expect(await service.db.auditEntry.count({ where: { accountId: owner } })).toBe(0);
    }
    expect(submissions.restated).toEqual([]);
  });

  it('for a disabled endpoint is refused before anything is emitted', async () => {
    const { submissionId, endpointId } = await submissionWithEndpoint();
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    const error = await failureOf(operator().sendTestEvent({ submissionId }));
    expect(refusalOf(error)?.code).toBe(RefusalCode.WRONG_STATE);
    expect(submissions.restated).toEqual([]);
  });
});
