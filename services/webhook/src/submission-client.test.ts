import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { isDependencyUnavailable } from '@supplier/lib/data/dependency';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { forAllTests, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { type Requester, RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { submissionClient, submissionQueries } from './submission-client.ts';

const accountId = newId<AccountId>();
const eventId = newId<EventId>();
const known = newId<SubmissionId>();
const failing = newId<SubmissionId>();
const AT = new Date('2026-11-20T10:00:00.123Z');
const reasons: RestatementReason[] = [];
const requesters: (Requester | undefined)[] = [];
const keys: string[] = [];
const owners: unknown[] = [];
const owner = { accountId, environment: 'production' } as const;

function answer<Answer>(submissionId: string, message: Answer): Answer {
  if (submissionId === failing) throw new ConnectError('too busy', Code.ResourceExhausted);
  if (submissionId !== known) throw refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
  return message;
}

const server = forAllTests(() =>
  startTestRpcServer('submission', SubmissionService, (router: ConnectRouter) => {
    router.service(SubmissionService, {
      getSubmission({ submissionId, owner: asked }) {
        owners.push(asked && { accountId: asked.accountId, environment: asked.environment });
        return answer(submissionId, { handoff: { customerJourneyUrl: 'https://journey.test/j/x' } });
      },
      getSubmissionOwner: ({ submissionId }) =>
        answer(submissionId, { accountId, environment: Environment.PRODUCTION }),
      listOwners: ({ submissionIds }) => ({
        owners: submissionIds
          .filter((submissionId) => submissionId === known)
          .map((submissionId) => ({ submissionId, accountId, environment: Environment.PRODUCTION })),
      }),
      restateSubmission({ submissionId, reason, requester, idempotencyKey }) {
        reasons.push(reason);
        keys.push(idempotencyKey);
        requesters.push(requester);
        return answer(submissionId, { eventId, occurredAt: toTimestamp(AT) });
      },
    });
  }),
);

const asked = () => submissionQueries(server.as('webhook', 'service:webhook'));

it('the submission client returns the owner of a submission, and the event of its restatement', async () => {
  expect(await asked().ownerOf(known)).toEqual({ accountId, environment: 'production' });
  expect(await asked().restate(known, 'test')).toEqual({ eventId, occurredAt: AT });
  await asked().restate(known, 'redelivery');
  expect(reasons).toEqual([RestatementReason.TEST, RestatementReason.REDELIVERY]);
});

it('the submission client returns the owners of known submissions only', async () => {
  expect(await asked().listOwners([known, newId<SubmissionId>()])).toEqual(
    new Map([[known, { accountId, environment: 'production' }]]),
  );
});

it('the submission client sends the name of the requesting person, and none when the service acts automatically', async () => {
  requesters.length = 0;
  await asked().restate(known, 'test', { actor: 'olga', issuer: 'staff', roles: ['staff:operator'] });
  await asked().restate(known, 'redelivery');
  expect(requesters).toMatchObject([
    { subject: 'olga', issuer: 'staff', roles: ['staff:operator'] },
    undefined,
  ]);
});

it('the submission client passes on the key that identifies a repeated restatement', async () => {
  keys.length = 0;
  await asked().restate(known, 'test', undefined, 'k');
  await asked().restate(known, 'test');
  expect(keys).toEqual(['k', '']);
});

it('the submission client returns undefined for an unknown submission', async () => {
  const unknown = newId<SubmissionId>();
  expect(await asked().ownerOf(unknown)).toBeUndefined();
  expect(await asked().restate(unknown, 'test')).toBeUndefined();
});

it.each(['ownerOf', 'restate'] as const)(
  'the submission client treats every other failure of %s as unavailability',
  async (question) => {
    const unreachable = submissionClient('http://127.0.0.1:9', { tokens: { tokenFor: async () => 'a.b.c' } });
    for (const [client, id] of [
      [asked(), failing],
      [unreachable, known],
    ] as const) {
      await expect(client[question](id, 'test')).rejects.toMatchObject({ code: Code.Unavailable });
    }
  },
);

it("the submission client returns a submission's link, or an error that tells an unavailable service from a faulty submission", async () => {
  expect(await asked().handoffOf(known, owner)).toMatchObject({
    customerJourneyUrl: 'https://journey.test/j/x',
  });
  const unreachable = submissionClient('http://127.0.0.1:9', { tokens: { tokenFor: async () => 'a.b.c' } });
  const causeOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(isDependencyUnavailable(await causeOf(unreachable.handoffOf(known, owner)))).toBe(true);
  expect(isDependencyUnavailable(await causeOf(asked().handoffOf(failing, owner)))).toBe(true);
  const unknown = await causeOf(asked().handoffOf(newId<SubmissionId>(), owner));
  expect(unknown).toMatchObject({ code: Code.NotFound });
  expect(isDependencyUnavailable(unknown)).toBe(false);
});
