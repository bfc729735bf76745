import type { SqlSession } from '@supplier/lib/data/postgres';
import { hashSecret, parseCredential } from '@supplier/lib/rpc/credential';
import { forAllTests, refused } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { NEW_ACCOUNT, TERMS } from '../../testing/account-requests.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

const START = new Date('2026-11-20T12:00:00.000Z');
const TOMORROW = new Date('2026-11-21T12:00:00.000Z');

let now = START;
let admin: ReturnType<TestService['as']>;
let gateway: ReturnType<TestService['as']>;
const service = forAllTests(() => openTestService({ now: () => now }));
beforeAll(async () => {
  admin = service.as('ada', 'staff:admin');
  gateway = service.as('gateway', 'service:gateway');
});
beforeEach(() => {
  now = START;
});

const issue = { environment: Environment.SANDBOX, scopes: [Scope.READ] };

const idOf = ({ credentialId }: { credentialId: string }) => ({ credentialId });

async function issued(more = {}) {
  const { accountId } = await admin.createAccount(NEW_ACCOUNT);
  const { credential, bearer } = await admin.issueCredential({ ...issue, ...more, accountId });
  if (!credential) throw new Error('no credential in the answer');
  return { accountId, credential, bearer };
}

describe('IssueCredential', () => {
  it.each([
    [Environment.SANDBOX, 'test'],
    [Environment.PRODUCTION, 'live'],
  ])(
    'returns for environment %s a well-formed %s credential and stores its secret nowhere',
    async (environment, kind) => {
      const { accountId, credential, bearer } = await issued({
        environment,
        expiresAt: toTimestamp(TOMORROW),
      });
      const parsed = parseCredential('sss', bearer);
      expect(parsed).toMatchObject({ kind, publicId: credential.publicId });
      expect(credential).toMatchObject({
        accountId,
        environment,
        scopes: [Scope.READ],
        createdAt: toTimestamp(START),
        expiresAt: toTimestamp(TOMORROW),
      });
      expect(credential.revokedAt).toBeUndefined();

      const { secretHash } = await gateway.resolveCredential({ publicId: credential.publicId });
      expect(secretHash).toEqual(new Uint8Array(hashSecret(parsed?.secret ?? '')));
      const stored = JSON.stringify([
        (await service.pool.query("SELECT credential::text, encode(secret_hash, 'escape') FROM credential"))
          .rows,
        (await service.pool.query('SELECT audit_entry::text FROM audit_entry')).rows,
        (await service.pool.query("SELECT encode(envelope, 'escape') FROM domain_event")).rows,
      ]);
      expect(stored).toContain(credential.publicId);
      expect(stored).not.toContain(parsed?.secret);
    },
  );

  it('writes an audit entry and leaves the account revision unchanged', async () => {
    const { accountId, credential } = await issued();
    expect((await admin.getAccount({ accountId })).revision).toBe(1n);
    expect(await service.eventsOf(accountId)).toHaveLength(1);
    const lines = await service.auditOf(accountId);
    expect(lines[1]).toMatchObject({
      actor: 'ada',
      action: 'IssueCredential',
      at: START,
      after: { credentialId: credential.credentialId, scopes: ['SCOPE_READ'] },
    });
    expect(lines[1]?.requestId).not.toBe('');
  });

  it('issues credentials that never expire by default', async () => {
    const { credential } = await issued();
    expect(credential.expiresAt).toBeUndefined();
  });

  it.each([
    ['scopes.1', { scopes: [Scope.READ, Scope.PROMOTE] }],
    ['scopes.1', { scopes: [Scope.READ, Scope.READ] }],
    ['scopes.0', { scopes: [Scope.UNSPECIFIED] }],
    ['scopes', { scopes: [] }],
    ['environment', { environment: Environment.UNSPECIFIED }],
    ['environment', { environment: 99 as Environment }],
    ['expires_at', { expiresAt: toTimestamp(START) }],
    ['expires_at', { expiresAt: { seconds: 0n } }],
    ['expires_at', { expiresAt: { seconds: -1n } }],
    ['expires_at', { expiresAt: { seconds: 253_402_300_800n } }],
    ['expires_at', { expiresAt: { seconds: 4_000_000_000n, nanos: 1_000_000_000 } }],
  ])('rejects %s (case %#) and issues nothing', async (path, fault) => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    const call = admin.issueCredential({ ...issue, accountId, ...fault });
    expect(await refused(call)).toMatchObject({ refusal: 'VALIDATION_ERROR', paths: [path] });
    expect((await admin.listCredentials({ accountId })).credentials).toEqual([]);
    expect(await service.auditOf(accountId)).toHaveLength(1);
  });

  it('returns NOT_FOUND for an unknown account', async () => {
    expect(await refused(admin.issueCredential({ ...issue, accountId: newId() }))).toMatchObject({
      code: 'NotFound',
      refusal: 'NOT_FOUND',
    });
  });
});

describe('ListCredentials', () => {
  it('lists the credentials of one account, newest first, including ended ones', async () => {
    const { accountId, credential } = await issued();
    await issued();
    now = TOMORROW;
    const later = await admin.issueCredential({ ...issue, accountId });
    const ended = await admin.revokeCredential(idOf(credential));
    expect((await admin.listCredentials({ accountId })).credentials).toEqual([later.credential, ended]);
  });

  it('returns NOT_FOUND for an unknown account and an empty list for one without credentials', async () => {
    expect(await refused(admin.listCredentials({ accountId: newId() }))).toMatchObject({
      refusal: 'NOT_FOUND',
    });
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    expect((await admin.listCredentials({ accountId })).credentials).toEqual([]);
  });
});

describe('RevokeCredential', () => {
  it('ends the credential immediately, emits an event at the next account revision and writes an audit entry', async () => {
    const { accountId, credential } = await issued();
    now = TOMORROW;
    const ended = await service.as('otto', 'staff:operator').revokeCredential(idOf(credential));
    expect(ended).toEqual({ ...credential, revokedAt: toTimestamp(TOMORROW) });

    const { credentialId, publicId } = credential;
    expect(await service.eventsOf(accountId)).toMatchObject([
      { type: 'AccountChanged', aggregateVersion: 1n },
      { type: 'CredentialRevoked', aggregateVersion: 2n, message: { credentialId, publicId } },
    ]);
    expect((await admin.getAccount({ accountId })).revision).toBe(2n);
    expect((await service.auditOf(accountId)).at(-1)).toMatchObject({
      actor: 'otto',
      action: 'RevokeCredential',
      at: TOMORROW,
      after: { credentialId, publicId },
    });
  });

  it('revokes once for many concurrent calls, and changes nothing when repeated', async () => {
    const { accountId, credential } = await issued();
    const revoke = () => admin.revokeCredential(idOf(credential));
    const [ended, ...others] = await Promise.all(Array.from({ length: 10 }, revoke));
    now = TOMORROW;
    for (const answer of [...others, await revoke()]) expect(answer).toEqual(ended);
    expect(await service.eventsOf(accountId)).toHaveLength(2);
    expect(await service.auditOf(accountId)).toHaveLength(3);
    expect((await admin.getAccount({ accountId })).revision).toBe(2n);
  });

  it('gives each event of an account its own version, even under concurrent changes', async () => {
    const { accountId, credential } = await issued();
    const { credential: other } = await admin.issueCredential({ ...issue, accountId });
    const change = { accountId, revision: 1n, state: AccountState.ACTIVE, permittedScopes: [], terms: TERMS };
    await Promise.allSettled([
      admin.revokeCredential(idOf(credential)),
      admin.revokeCredential({ credentialId: other?.credentialId ?? '' }),
      admin.updateAccount(change),
    ]);
    const versions = (await service.eventsOf(accountId)).map(({ aggregateVersion }) =>
      Number(aggregateVersion),
    );
    expect(versions).toEqual(versions.map((_, index) => index + 1));
    expect(versions.length).toBeGreaterThanOrEqual(3);
  });

  it('returns NOT_FOUND for an unknown credential', async () => {
    expect(await refused(admin.revokeCredential({ credentialId: newId() }))).toMatchObject({
      refusal: 'NOT_FOUND',
    });
  });
});

describe('ResolveCredential', () => {
  it('returns the credential, the hash of its secret and the current account', async () => {
    const { accountId, credential } = await issued({ expiresAt: toTimestamp(TOMORROW) });
    await admin.updateAccount({
      accountId,
      revision: 1n,
      state: AccountState.SUSPENDED,
      permittedScopes: [],
      terms: TERMS,
    });
    const found = await gateway.resolveCredential({ publicId: credential.publicId });
    expect(found.credential).toEqual(credential);
    expect(found.secretHash).toHaveLength(32);
    expect(found.account).toEqual(await admin.getAccount({ accountId }));
  });

  it('also returns ended credentials, because the gateway decides how to treat them', async () => {
    const { credential } = await issued();
    const ended = await admin.revokeCredential(idOf(credential));
    expect((await gateway.resolveCredential({ publicId: credential.publicId })).credential).toEqual(ended);
  });

  it('runs a single database query', async () => {
    const { credential } = await issued();
    const statements: string[] = [];
    const spied: SqlSession = {
      query(statement, values) {
        statements.push(typeof statement === 'string' ? statement : statement.text);
        return service.pool.query(statement, values);
      },
    };
    const { resolveCredential } = await import('./resolve-credential.sql.ts');
    expect((await resolveCredential(spied, credential.publicId, new Date()))?.credential.publicId).toBe(
      credential.publicId,
    );
    expect(statements).toHaveLength(1);
  });

  it.each(['a'.repeat(16), "' OR true --    "])(
    'returns NOT_FOUND for the public id "%s"',
    async (publicId) => {
      expect(await refused(gateway.resolveCredential({ publicId }))).toMatchObject({
        code: 'NotFound',
        refusal: 'NOT_FOUND',
      });
    },
  );

  it.each(['', 'a'.repeat(15), 'a'.repeat(17)])(
    'rejects "%s", which is not a public id',
    async (publicId) => {
      expect(await refused(gateway.resolveCredential({ publicId }))).toMatchObject({ paths: ['public_id'] });
    },
  );
});

describe('IssueCredential for production with four-eyes required', () => {
  let two: TestService;
  beforeAll(async () => {
    two = await openTestService({ now: () => now }, 'required');
  });
  afterAll(() => two?.close());

  it('rejects a call without an approval, issues one credential per approval and names it in the audit entry', async () => {
    const ada = two.as('ada', 'staff:admin');
    const { accountId } = await ada.createAccount(NEW_ACCOUNT);
    const request = { accountId, environment: Environment.PRODUCTION, scopes: [Scope.READ] };
    expect(await refused(ada.issueCredential(request))).toMatchObject({
      code: 'FailedPrecondition',
      refusal: 'WRONG_STATE',
    });
    await ada.issueCredential({ ...request, environment: Environment.SANDBOX });
    const { approvalId } = await two.approvals('ada').requestApproval({
      action: 'IssueCredential',
      argumentsJson: JSON.stringify({
        accountId,
        environment: 'ENVIRONMENT_PRODUCTION',
        scopes: ['SCOPE_READ'],
      }),
      purpose: 'go-live',
    });
    await two.approvals('bob').approveRequest({ approvalId });
    const more = { ...request, expiresAt: toTimestamp(TOMORROW), approvalId };
    expect(await refused(ada.issueCredential(more))).toMatchObject({ refusal: 'WRONG_STATE' });
    const ends = await Promise.allSettled(
      [1, 2, 3].map(() => ada.issueCredential({ ...request, approvalId })),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await two.auditOf(accountId)).at(-1)).toMatchObject({ after: { approvalId } });
    expect((await ada.listCredentials({ accountId })).credentials).toHaveLength(2);
  });
});
