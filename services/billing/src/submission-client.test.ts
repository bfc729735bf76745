import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { isDependencyUnavailable } from '@supplier/lib/dependency';
import { newId, type SubmissionId } from '@supplier/lib/ids';
import { startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
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
