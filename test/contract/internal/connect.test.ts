import { randomUUID } from 'node:crypto';
import { Code } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import { RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { Status } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { request } from 'undici';
import { rpcClient, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { readStack, type ServiceName } from '../../harness/stack.ts';
import { token } from '../../harness/tokens.ts';

const NAMES: ServiceName[] = ['account', 'submission', 'document', 'billing', 'webhook'];

describe('Connect over HTTP/1.1', () => {
  it('answers the same calls as gRPC', async () => {
    const accountId = readStack().suppliers.alpha?.accountId ?? '';
    expect(await staff.account().getAccount({ accountId })).toMatchObject({ accountId, name: 'alpha' });
  });

  it('refuses in the same order: no token, wrong role, bad message', async () => {
    const bad = { submissionId: 'no-uuid', decision: Status.ACCEPTED, reason: '' };
    const as = (bearer: string) =>
      rpcErrorOf(rpcClient('submission', SubmissionService, bearer).decideSubmission(bad));
    expect((await as('')).code).toBe(Code.Unauthenticated);
    const viewer = token({ roles: ['staff:viewer'], audience: 'submission' });
    expect((await as(viewer)).code).toBe(Code.PermissionDenied);
    expect((await as(readStack().staffToken)).code).toBe(Code.InvalidArgument);
  });

  it('names every violation of a bad message in the detail of its error', async () => {
    const bad = { submissionId: 'no-uuid', decision: Status.UNSPECIFIED, reason: '' };
    const error = await rpcErrorOf(staff.submission().decideSubmission(bad));
    const refusal = error.findDetails(RefusalSchema)[0];
    expect(refusal?.code).toBe(RefusalCode.VALIDATION_ERROR);
    expect(refusal?.violations.map(({ path }) => path).sort()).toEqual([
      'decision',
      'reason',
      'submission_id',
    ]);
  });

  it('says NOT_FOUND of what is not there', async () => {
    const submissionId = randomUUID();
    const errors = await Promise.all([
      rpcErrorOf(rpcClient('account', AccountService).getAccount({ accountId: submissionId })),
      rpcErrorOf(staff.submission().getSubmission({ submissionId })),
      rpcErrorOf(staff.submission().getApplication({ submissionId })),
      rpcErrorOf(staff.billing().getLead({ submissionId })),
    ]);
    expect(errors.map((error) => Code[error.code])).toEqual(Array(4).fill('NotFound'));
  });
});

describe('the health of a process', () => {
  it.each(NAMES)('%s is alive and ready, and has no other page', async (name) => {
    const statusOf = async (path: string): Promise<number> => {
      const answer = await request(`${readStack().private[name]}${path}`);
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await statusOf('/livez')).toBe(200);
    expect(await statusOf('/readyz')).toBe(200);
    expect(await statusOf('/')).toBe(404);
  });

  it('the gateway is alive and ready on its pages listener', async () => {
    for (const path of ['/livez', '/readyz']) {
      const answer = await request(`${readStack().pages}${path}`);
      await answer.body.dump();
      expect([path, answer.statusCode]).toEqual([path, 200]);
    }
  });
});
