import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { auditOf, eventsOf } from '../../testing/recorded.ts';
import { refused } from '../../testing/refused.ts';
import { NEW_ACCOUNT, TERMS } from '../../testing/requests.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let database: TestDatabase;
let server: TestServer;
let admin: ReturnType<TestServer['as']>;
beforeAll(async () => {
  database = await openTestDatabase();
  server = await startTestServer({
    db: database.db,
    clock: { now: () => new Date() },
    credentialPrefix: 'sss',
  });
  admin = server.as('ada', 'staff:admin');
});
afterAll(async () => {
  await server?.close();
  await database?.close();
});

/** Everything that is kept, as text. */
async function everything(): Promise<string> {
  const { account, credential, auditLog, outbox } = database.db;
  const [accounts, credentials, lines, events] = await Promise.all([
    account.findMany(),
    credential.findMany(),
    auditLog.findMany(),
    outbox.findMany(),
  ]);
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify({ accounts, credentials, lines, events }, text);
}

/** Runs `work` while inserts into `table` fail. */
async function withoutInserts<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  await database.pool.query(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`);
  try {
    return await work();
  } finally {
    await database.pool.query(`ALTER TABLE ${table} DROP CONSTRAINT broken`);
  }
}

describe('a change, its event and its audit line', () => {
  it.each([
    ['outbox', 'CreateAccount'],
    ['audit_log', 'CreateAccount'],
    ['outbox', 'UpdateAccount'],
    ['audit_log', 'UpdateAccount'],
    ['audit_log', 'IssueCredential'],
    ['outbox', 'RevokeCredential'],
    ['audit_log', 'RevokeCredential'],
  ])('are kept together or not at all: %s cannot be written in %s', async (table, rpc) => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    const wish = { accountId, environment: Environment.SANDBOX, scopes: [Scope.READ] };
    const { credential } = await admin.issueCredential(wish);
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
      IssueCredential: () => admin.issueCredential(wish),
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

  it('are written once for each call', async () => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    expect(await eventsOf(database.db, accountId)).toHaveLength(1);
    expect(await auditOf(database.db, accountId)).toHaveLength(1);
  });
});
