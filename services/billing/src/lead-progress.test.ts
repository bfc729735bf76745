import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { newId, type SubmissionId } from '@supplier/lib/ids';
import { inProcessClient } from '@supplier/lib/testing';
import { Status } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { submissionQueries } from './submission-client.ts';

const submissionId = newId<SubmissionId>();

/** How far the lead has come, as the submission service answers. */
function progress(listBilling: ServiceImpl<typeof SubmissionService>['listBilling']) {
  const client = inProcessClient(
    SubmissionService,
    (router) => router.service(SubmissionService, { listBilling }),
    {
      caller: { subject: 'billing', issuer: 'test', roles: ['service:billing'] },
    },
  );
  return submissionQueries(client).progressOf(submissionId);
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
