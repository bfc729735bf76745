import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import { isDependencyUnavailable } from '@supplier/lib/dependency';
import { newId, type SubmissionId } from '@supplier/lib/ids';
import { inProcessClient, startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { Status } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { submissionClient, submissionQueries } from './submission-client.ts';

const known = [newId<SubmissionId>(), newId<SubmissionId>()];
const asked: string[][] = [];
let failure: Code | undefined;
let server: TestRpcServer<typeof SubmissionService>;
beforeAll(async () => {
  server = await startTestRpcServer('submission', SubmissionService, (router: ConnectRouter) => {
    router.service(SubmissionService, {
      restateLeads({ submissionIds }) {
        asked.push(submissionIds);
        if (failure !== undefined) throw new ConnectError('not now', failure);
        return { submissionIds: submissionIds.filter((id) => (known as string[]).includes(id)) };
      },
    });
  });
});
beforeEach(() => {
  failure = undefined;
  asked.length = 0;
});
afterAll(() => server?.close());

const queries = () => submissionQueries(server.as('billing', 'service:billing'));

it('has leads restated, all in one call, and learns which of them exist', async () => {
  const ids = [...known, newId<SubmissionId>()];
  expect(await queries().restateLeads(ids)).toEqual(known);
  expect(asked).toEqual([ids]);
});

it.each([Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted, Code.Unimplemented, Code.Internal])(
  'says of a restatement that ends with code %i that the submission service did not do it, and what to do',
  async (code) => {
    failure = code;
    const error = await queries()
      .restateLeads(known)
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: Code.Unavailable,
      rawMessage: expect.stringMatching(/did not restate the leads.*repair again/),
    });
  },
);

it('takes a service that cannot be reached for unavailable', async () => {
  const unreachable = submissionClient('http://127.0.0.1:9', { tokens: { tokenFor: async () => 'a.b.c' } });
  const error = await unreachable.restateLeads(known).catch((cause: unknown) => cause);
  expect(isDependencyUnavailable(error)).toBe(true);
});

const [submissionId = newId<SubmissionId>()] = known;

it('reads the references of any number of submissions, 100 at a time and each once', async () => {
  const listed: number[] = [];
  const queries = queriesTo(({ submissionIds }) => {
    listed.push(submissionIds.length);
    return { submissions: submissionIds.map((id) => ({ submissionId: id, externalReference: `of ${id}` })) };
  });
  const ids = Array.from({ length: 230 }, () => newId<SubmissionId>());
  expect(await queries.referencesOf([...ids, ...ids])).toEqual(new Map(ids.map((id) => [id, `of ${id}`])));
  expect(listed).toEqual([100, 100, 30]);
});

const progress = (listBilling: ListBilling) => queriesTo(listBilling).progressOf(submissionId);

type ListBilling = ServiceImpl<typeof SubmissionService>['listBilling'];

/** The queries, where the submission service answers like this. */
function queriesTo(listBilling: ListBilling) {
  const client = inProcessClient(
    SubmissionService,
    (router) => router.service(SubmissionService, { listBilling }),
    {
      caller: { subject: 'billing', issuer: 'test', roles: ['service:billing'] },
    },
  );
  return submissionQueries(client);
}

describe('how far a lead has come', () => {
  it.each([
    ['received', Status.RECEIVED, false, { isDecided: false, isAccepted: false, hasApplication: false }],
    ['accepted', Status.ACCEPTED, false, { isDecided: true, isAccepted: true, hasApplication: false }],
    [
      'with its Application',
      Status.ACCEPTED,
      true,
      { isDecided: true, isAccepted: true, hasApplication: true },
    ],
    ['rejected', Status.REJECTED, false, { isDecided: true, isAccepted: false, hasApplication: false }],
    ['returned', Status.RETURNED, true, { isDecided: true, isAccepted: false, hasApplication: true }],
  ])('is what the submission service says of one that is %s', async (_, status, hasApplication, known) => {
    const asked: string[][] = [];
    const found = await progress(({ submissionIds }) => {
      asked.push(submissionIds);
      return { submissions: [{ submissionId, status, hasApplication }] };
    });
    expect(found).toEqual(known);
    expect(asked).toEqual([[submissionId]]);
  });

  it('is nothing for a submission that is unknown there', async () => {
    expect(await progress(() => ({ submissions: [] }))).toBeUndefined();
  });

  it('cannot be known while the submission service is away, or fails', async () => {
    for (const code of [Code.Unavailable, Code.Internal])
      await expect(
        progress(() => {
          throw new ConnectError('away', code);
        }),
      ).rejects.toMatchObject({ code: Code.Unavailable });
  });
});
