import { randomUUID } from 'node:crypto';
import { toJsonString } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { AccountSchema, AccountService } from '@supplier/proto/account/v1/account';
import { RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { Status } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { request } from 'undici';
import { newAccount } from '../../harness/accounts.ts';
import { requestToService, rpcClient, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { readStack, type ServiceName } from '../../harness/stack.ts';
import { token } from '../../harness/tokens.ts';

const NAMES: ServiceName[] = ['account', 'submission', 'document', 'billing', 'webhook'];

describe('Connect over HTTP/1.1', () => {
  it('handles the same calls as gRPC', async () => {
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

  it('rejects JSON with an unknown field, names the field, and changes nothing', async () => {
    const { accountId } = await newAccount({ caps: { acceptedPerDay: 7 } });
    const account = await staff.account().getAccount({ accountId });
    const { revision, terms } = JSON.parse(toJsonString(AccountSchema, account));
    const { caps, ...others } = terms;
    for (const mistyped of [
      { accountId, revision, state: 1, terms, limit: { writesPerMinute: 5 } },
      { accountId, revision, state: 1, terms: { ...others, cap: caps } },
      { accountId, revision, state: 1, terms: { ...others, caps: { acceptedPerDya: 7 } } },
    ]) {
      const { code, message } = await postJson('UpdateAccount', mistyped);
      expect([code, message]).toEqual([
        'invalid_argument',
        expect.stringMatching(/key "(?:limit|cap|acceptedPerDya)" is unknown/),
      ]);
    }
    expect(await staff.account().getAccount({ accountId })).toEqual(account);
    expect(await postJson('UpdateAccount', { accountId, revision, state: 1, terms })).toMatchObject({
      accountId,
    });
  });

  it('returns NOT_FOUND for missing resources', async () => {
    const submissionId = randomUUID();
    const errors = await Promise.all([
      rpcErrorOf(rpcClient('account', AccountService).getAccount({ accountId: submissionId })),
      rpcErrorOf(staff.submission().getSubmission({ submissionId })),
      rpcErrorOf(staff.submission().getApplication({ purpose: 'read by a test', submissionId })),
      rpcErrorOf(staff.billing().getLead({ submissionId })),
    ]);
    expect(errors.map((error) => Code[error.code])).toEqual(Array(4).fill('NotFound'));
  });
});

async function postJson(method: string, body: object): Promise<Record<string, unknown>> {
  const answer = await requestToService('account', `/${AccountService.typeName}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readStack().staffToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.body.json()) as Record<string, unknown>;
}

describe('process health', () => {
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

  it('the gateways are alive and ready, and report it only on their private ports', async () => {
    const { private: ports, gateway, production, pages } = readStack();
    const statusOf = async (url: string): Promise<number> => {
      const answer = await request(url);
      await answer.body.dump();
      return answer.statusCode;
    };
    for (const path of ['/livez', '/readyz', '/metrics']) {
      for (const origin of [ports.gateway, ports.production]) {
        expect([path, await statusOf(`${origin}${path}`)]).toEqual([path, 200]);
      }
      for (const origin of [gateway, production, pages]) {
        expect([path, await statusOf(`${origin}${path}`)]).toEqual([path, 404]);
      }
    }
  });
});
