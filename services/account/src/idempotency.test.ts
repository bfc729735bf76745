import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import { forAllTests, refused } from '@supplier/lib/testing';
import { IssueCredentialRequestSchema } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { NEW_ACCOUNT } from '../testing/account-requests.ts';
import { openTestService } from '../testing/test-service.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let key: string;
const service = forAllTests(() => openTestService({ now: () => NOW }, 'required'));
beforeEach(() => {
  key = crypto.randomUUID();
});

const admin = (subject = 'ada') => service.as(subject, 'staff:admin');
const accountsNamed = (name: string) => service.db.account.count({ where: { name } });
const openAccount = async () => (await admin().createAccount(NEW_ACCOUNT)).accountId;
const credentialsOf = async (accountId: string) => (await admin().listCredentials({ accountId })).credentials;

describe('CreateAccount with an idempotency key', () => {
  const request = () => ({ ...NEW_ACCOUNT, name: `Sample ${key}`, idempotencyKey: key });

  it('opens one account for any number of calls, with one event and one audit entry', async () => {
    const opened = await admin().createAccount(request());
    expect(await admin().createAccount(request())).toEqual(opened);
    expect(await accountsNamed(request().name)).toBe(1);
    expect(await service.eventsOf(opened.accountId)).toHaveLength(1);
    expect(await service.auditOf(opened.accountId)).toHaveLength(1);
  });
});

describe('IssueCredential with an idempotency key', () => {
  const issue = (accountId: string, environment = Environment.SANDBOX) => ({
    accountId,
    environment,
    scopes: [Scope.READ],
    idempotencyKey: key,
  });

  it('issues one credential, returns its secret only in the first response, and never stores it', async () => {
    const accountId = await openAccount();
    const { credential, bearer, secretAlreadyShown } = await admin().issueCredential(issue(accountId));
    expect([bearer !== '', secretAlreadyShown]).toEqual([true, false]);
    const again = await admin().issueCredential(issue(accountId));
    expect(again).toMatchObject({ credential, bearer: '', secretAlreadyShown: true });
    expect(await credentialsOf(accountId)).toEqual([credential]);
    const { rows } = await service.pool.query<{ answer: Buffer }>('SELECT answer FROM idempotent_call');
    const secret = bearer.split('_').at(-1) ?? bearer;
    expect(rows.length).toBeGreaterThan(0);
    for (const { answer } of rows) expect(answer.toString('latin1')).not.toContain(secret);
  });

  it('needs no second approval for a repeated call, whether it names the used approval, another or none', async () => {
    const accountId = await openAccount();
    const request = issue(accountId, Environment.PRODUCTION);
    expect(await refused(admin().issueCredential(request))).toMatchObject({ refusal: 'WRONG_STATE' });
    const approvalId = await approved(request);
    const { credential } = await admin().issueCredential({ ...request, approvalId });
    for (const again of [approvalId, await approved(request), ''])
      expect(await admin().issueCredential({ ...request, approvalId: again })).toMatchObject({
        credential,
        secretAlreadyShown: true,
      });
    expect(await credentialsOf(accountId)).toHaveLength(1);
  });

  /** Gets the approval of a second person; the idempotency key is not part of it. */
  async function approved(request: MessageInitShape<typeof IssueCredentialRequestSchema>): Promise<string> {
    const asked = create(IssueCredentialRequestSchema, request as never);
    const { approvalId } = await service.approvals('ada').requestApproval({
      action: 'IssueCredential',
      argumentsJson: JSON.stringify(toJson(IssueCredentialRequestSchema, asked)),
      purpose: 'agreed with the supplier',
    });
    await service.approvals('bob').approveRequest({ approvalId });
    return approvalId;
  }
});
