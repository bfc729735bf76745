import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import {
  AccountService,
  type IssueCredentialRequest,
  IssueCredentialRequestSchema,
} from '@supplier/proto/account/v1/account';
import {
  type Approval,
  ApprovalService,
  ApproveRequestRequestSchema,
  RequestApprovalRequestSchema,
} from '@supplier/proto/approval/v1/approval';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { newAccount } from '../../harness/accounts.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { token } from '../../harness/tokens.ts';

// The local stack requires no approval (SSS_FOUR_EYES=off), but checks an action against any approval that it names.

const tokenOf = (subject: string, role = 'staff:admin') =>
  token({ roles: [role], audience: 'account', subject });
const ask = <Schema extends DescMessage>(
  method: string,
  schema: Schema,
  request: MessageInitShape<Schema>,
  who = 'ada',
) =>
  grpcCall('account', ApprovalService, method, create(schema, request) as MessageShape<Schema>, tokenOf(who));

type IssueRequest = Partial<Pick<IssueCredentialRequest, 'accountId' | 'environment' | 'scopes'>>;
let wanted: IssueRequest;
beforeAll(async () => {
  const { accountId } = await newAccount();
  wanted = { accountId, environment: Environment.PRODUCTION, scopes: [Scope.READ] };
});

const issue = (approvalId: string, more: IssueRequest = {}, who = 'ada') =>
  grpcCall(
    'account',
    AccountService,
    'IssueCredential',
    create(IssueCredentialRequestSchema, { ...wanted, ...more, approvalId }),
    tokenOf(who),
  );

async function requested(): Promise<string> {
  const message = create(IssueCredentialRequestSchema, wanted);
  const argumentsJson = JSON.stringify(toJson(IssueCredentialRequestSchema, message));
  const request = { action: 'IssueCredential', argumentsJson, purpose: 'go-live of a supplier' };
  const { code, reply } = await ask('RequestApproval', RequestApprovalRequestSchema, request);
  expect(code).toBe(status.OK);
  return (reply as Approval).approvalId;
}

const approve = (approvalId: string, who = 'bob') =>
  ask('ApproveRequest', ApproveRequestRequestSchema, { approvalId }, who);

async function approved(): Promise<string> {
  const approvalId = await requested();
  expect((await approve(approvalId)).code).toBe(status.OK);
  return approvalId;
}

describe('an approved production credential', () => {
  it('is issued once to the person who requested it', async () => {
    const approvalId = await approved();
    expect((await issue(approvalId)).code).toBe(status.OK);
    expect(await issue(approvalId)).toMatchObject({
      code: status.FAILED_PRECONDITION,
      message: 'The approval has been used. Request a new one.',
    });
  });

  it('is issued once under concurrent calls', async () => {
    const approvalId = await approved();
    const codes = await Promise.all(Array.from({ length: 5 }, async () => (await issue(approvalId)).code));
    expect(codes.filter((code) => code === status.OK)).toHaveLength(1);
  });
});
