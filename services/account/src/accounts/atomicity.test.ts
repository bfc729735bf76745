import { forAllTests, refused } from '@supplier/lib/testing';
import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { NEW_ACCOUNT, TERMS } from '../../testing/account-requests.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

let admin: ReturnType<TestService['as']>;
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  admin = service.as('ada', 'staff:admin');
});

/** Returns all rows of the database as text. */
async function everything(): Promise<string> {
  const { account, credential, auditEntry, domainEvent } = service.db;
  const [accounts, credentials, lines, events] = await Promise.all([
    account.findMany(),
    credential.findMany(),
    auditEntry.findMany(),
    domainEvent.findMany(),
  ]);
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify({ accounts, credentials, lines, events }, text);
}

/** Runs `work` while inserts into `table` fail. */
async function withoutInserts<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  await service.pool.query(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`);
  try {
    return await work();
  } finally {
    await service.pool.query(`ALTER TABLE ${table} DROP CONSTRAINT broken`);
  }
}

describe('a change, its event and its audit line', () => {
  it.each([
    ['domain_event', 'CreateAccount'],
    ['audit_entry', 'CreateAccount'],
    ['domain_event', 'UpdateAccount'],
    ['audit_entry', 'UpdateAccount'],
    ['audit_entry', 'IssueCredential'],
    ['domain_event', 'RevokeCredential'],
    ['audit_entry', 'RevokeCredential'],
  ])('writes all of them or none when inserts into %s fail in %s', async (table, rpc) => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    const issue = { accountId, environment: Environment.SANDBOX, scopes: [Scope.READ] };
    const { credential } = await admin.issueCredential(issue);
    const change = {
      accountId,
      revision: 1n,
      state: AccountState.SUSPENDED,
      permittedScopes: [],
      terms: TERMS,
    };
    const calls: Record<string, () => Promise<unknown>> = {
      CreateAccount: () => admin.createAccount(NEW_ACCOUNT),
      UpdateAccount: () => admin.updateAccount(change),
      IssueCredential: () => admin.issueCredential(issue),
      RevokeCredential: () => admin.revokeCredential({ credentialId: credential?.credentialId ?? '' }),
    };
    const call = calls[rpc];
    if (!call) throw new Error(`no call for ${rpc}`);

    const before = await everything();
    expect(await withoutInserts(table, () => refused(call()))).toEqual({ code: 'Internal', paths: [] });
    expect(await everything()).toBe(before);

    await call();
    expect(await everything()).not.toBe(before);
  });

  it('writes each of them once per call', async () => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    expect(await service.eventsOf(accountId)).toHaveLength(1);
    expect(await service.auditOf(accountId)).toHaveLength(1);
  });
});
