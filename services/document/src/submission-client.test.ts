import { Code, ConnectError } from '@connectrpc/connect';
import { type AccountId, newId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf, refuse } from '@supplier/lib/refusal';
import { startTestRpcServer, type TestRpcServer } from '@supplier/lib/testing';
import { Environment } from '@supplier/proto/common/v1/status';
import { type FindSubmissionRequest, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { submissionFinder } from './submission-client.ts';

const reference = {
  accountId: newId<AccountId>(),
  environment: 'sandbox',
  externalReference: 'ref',
} as const;
const SUBMISSION_ID = newId<string>();

let server: TestRpcServer<typeof SubmissionService>;
let answer: (asked: FindSubmissionRequest) => { submissionId: string };
beforeAll(async () => {
  server = await startTestRpcServer('submission', SubmissionService, (router) => {
    router.rpc(SubmissionService.method.findSubmission, (asked) => answer(asked));
  });
});
afterAll(() => server?.close());

const ask = (role = 'service:document') => submissionFinder(server.as('document', role))(reference);

describe('asking for the submission of a reference', () => {
  it('names account, environment and reference, and gets its id', async () => {
    answer = (asked) => {
      expect(asked).toMatchObject({ ...reference, environment: Environment.SANDBOX });
      return { submissionId: SUBMISSION_ID };
    };
    expect(await ask()).toBe(SUBMISSION_ID);
  });

  it('gets nothing where there is none', async () => {
    answer = () => {
      throw refuse(RefusalCode.NOT_FOUND, 'None.');
    };
    expect(await ask()).toBeUndefined();
  });

  it('does not take a service without that RPC, or any other failure, for “there is none”', async () => {
    for (const code of [Code.NotFound, Code.Unimplemented, Code.Internal, Code.PermissionDenied]) {
      answer = () => {
        throw new ConnectError('no', code);
      };
      await expect(ask()).rejects.toMatchObject({ code });
    }
    await expect(ask('service:gateway')).rejects.toMatchObject({ code: Code.PermissionDenied });
  });

  it('is refused as unavailable while nobody answers, or not in time', async () => {
    for (const code of [Code.Unavailable, Code.DeadlineExceeded]) {
      const findSubmission = async () => {
        throw new ConnectError('no', code);
      };
      const error = await submissionFinder({ findSubmission })(reference).catch((cause: unknown) => cause);
      expect(refusalOf(error)).toMatchObject({ code: RefusalCode.SERVICE_UNAVAILABLE });
    }
  });
});
