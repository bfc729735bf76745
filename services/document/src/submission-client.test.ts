import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf, refuse } from '@supplier/lib/rpc/refusal';
import { forAllTests, startTestRpcServer } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import type { FindSubmissionRequest } from '@supplier/proto/submission/v1/find_submission';
import { type ListHeldRequestSchema, ListHeldResponseSchema } from '@supplier/proto/submission/v1/list_held';
import { ListOwnersResponseSchema } from '@supplier/proto/submission/v1/list_owners';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { referenceKey } from './model/admission.ts';
import { heldFinder, ownersFinder, submissionFinder } from './submission-client.ts';

const reference = {
  accountId: newId<AccountId>(),
  environment: 'sandbox',
  externalReference: 'ref',
} as const;
const SUBMISSION_ID = newId<string>();

let answer: (request: FindSubmissionRequest) => { submissionId: string };
const server = forAllTests(() =>
  startTestRpcServer('submission', SubmissionService, (router) => {
    router.rpc(SubmissionService.method.findSubmission, (request) => answer(request));
  }),
);

const others = { ...reference, externalReference: 'held by nobody' } as const;

const find = (role = 'service:document') => submissionFinder(server.as('document', role))(reference);

describe('submissionFinder', () => {
  it('sends account, environment and reference, and returns the id', async () => {
    answer = (request) => {
      expect(request).toMatchObject({ ...reference, environment: Environment.SANDBOX });
      return { submissionId: SUBMISSION_ID };
    };
    expect(await find()).toBe(SUBMISSION_ID);
  });

  it('returns undefined when there is none', async () => {
    answer = () => {
      throw refuse(RefusalCode.NOT_FOUND, 'None.');
    };
    expect(await find()).toBeUndefined();
  });

  it('rejects when the service lacks the RPC, and for every other failure', async () => {
    for (const code of [Code.NotFound, Code.Unimplemented, Code.Internal, Code.PermissionDenied]) {
      answer = () => {
        throw new ConnectError('no', code);
      };
      await expect(find()).rejects.toMatchObject({ code });
    }
    await expect(find('service:gateway')).rejects.toMatchObject({ code: Code.PermissionDenied });
  });

  it('returns SERVICE_UNAVAILABLE when the service does not respond in time', async () => {
    for (const code of [Code.Unavailable, Code.DeadlineExceeded]) {
      const findSubmission = async () => {
        throw new ConnectError('no', code);
      };
      const error = await submissionFinder({ findSubmission })(reference).catch((cause: unknown) => cause);
      expect(refusalOf(error)).toMatchObject({ code: RefusalCode.SERVICE_UNAVAILABLE });
    }
  });
});

describe('heldFinder', () => {
  it('sends all references in one call, and returns the keys of those under legal hold', async () => {
    const listHeld = async ({ references = [] }: MessageInitShape<typeof ListHeldRequestSchema>) =>
      create(ListHeldResponseSchema, { references: references.slice(0, 1) });
    expect(await heldFinder({ listHeld })([reference, others])).toEqual(new Set([referenceKey(reference)]));
  });

  it('rejects when there is no answer rather than guessing', async () => {
    const failing = (code: Code) =>
      heldFinder({
        listHeld: async () => {
          throw new ConnectError('no', code);
        },
      })([reference]).catch((cause: unknown) => cause);
    expect(refusalOf(await failing(Code.Unavailable))).toMatchObject({
      code: RefusalCode.SERVICE_UNAVAILABLE,
    });
    expect(await failing(Code.Unimplemented)).toMatchObject({ code: Code.Unimplemented });
  });
});

it('ownersFinder returns the owners of known submissions, and rejects when there is no answer', async () => {
  const id = newId<SubmissionId>();
  const owner = { submissionId: id, accountId: reference.accountId, environment: Environment.SANDBOX };
  const listOwners = async () => create(ListOwnersResponseSchema, { owners: [owner] });
  expect(await ownersFinder({ listOwners })([id, newId<SubmissionId>()])).toEqual(
    new Map([[id, { accountId: reference.accountId, environment: 'sandbox' }]]),
  );
  const away = async () => {
    throw new ConnectError('no', Code.Unavailable);
  };
  const error = await ownersFinder({ listOwners: away })([id]).catch((cause: unknown) => cause);
  expect(refusalOf(error)).toMatchObject({ code: RefusalCode.SERVICE_UNAVAILABLE });
});
