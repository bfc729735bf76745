import { readFileSync } from 'node:fs';
import { create, toJson } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { AccountService, IssueCredentialRequestSchema } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import { inTransaction } from '../../data/postgres/index.ts';
import { createTestDatabase, inProcessClient, type TestDatabase } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { approvableAction, type FourEyes, openApprovals } from './index.ts';

const sql = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const { PRODUCTION, SANDBOX } = Environment;
const REASON = 'a credential for production';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema: sql('../audit/audit.sql') + sql('approvals.sql') });
});
afterAll(() => database?.close());

const approvable = approvableAction<typeof IssueCredentialRequestSchema, pg.PoolClient>(
  AccountService.method.issueCredential,
  async (_session, { accountId, environment }) => ({
    target: accountId,
    reasons: environment === PRODUCTION ? [REASON] : [],
  }),
);

function check(environment: Environment, { fourEyes = 'required' as FourEyes, role = 'staff:admin' } = {}) {
  const { routes } = openApprovals({
    pool: database.pool,
    transact: <Result>(work: (session: pg.PoolClient) => Promise<Result>) =>
      inTransaction(database.pool, work),
    clock: { now: () => new Date() },
    fourEyes,
  });
  const caller = { subject: 'ada', issuer: 'people', roles: [role], tokenEndsAt: Number.POSITIVE_INFINITY };
  const request = create(IssueCredentialRequestSchema, {
    ...{ accountId: newId(), environment, scopes: [Scope.READ] },
  });
  const argumentsJson = JSON.stringify(toJson(IssueCredentialRequestSchema, request));
  const client = inProcessClient(ApprovalService, (router) => routes(router, [approvable]), { caller });
  return client.checkApproval({ action: 'IssueCredential', argumentsJson });
}

it.each([
  [PRODUCTION, 'required', [REASON], true],
  [PRODUCTION, 'off', [REASON], false],
  [SANDBOX, 'required', [], false],
] as const)(
  'says for environment %p with four eyes %s why and whether approval is needed',
  async (environment, fourEyes, reasons, enforced) => {
    expect(await check(environment, { fourEyes })).toMatchObject({ reasons, enforced });
  },
);

it('changes nothing, and refuses people who may not perform the action', async () => {
  await check(PRODUCTION);
  const { rows } = await database.pool.query('SELECT FROM approval UNION ALL SELECT FROM audit_entry');
  expect(rows).toEqual([]);
  await expect(check(PRODUCTION, { role: 'staff:privacy' })).rejects.toMatchObject({
    code: Code.PermissionDenied,
  });
});
