import { runInContext } from '@supplier/lib/runtime/request-context';
import { forAllTests, refused } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { NEW_ACCOUNT, TERMS } from '../../testing/account-requests.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let admin: ReturnType<TestService['as']>;
const service = forAllTests(() => openTestService({ now: () => NOW }));
beforeAll(async () => {
  admin = service.as('ada', 'staff:admin');
});

describe('CreateAccount', () => {
  it('opens an active account at revision 1, with an event and an audit entry that carries the request id', async () => {
    const context = { requestId: 'req-create', traceParent: '' };
    const account = await runInContext(context, () => admin.createAccount(NEW_ACCOUNT));
    expect(account).toMatchObject({ ...NEW_ACCOUNT, state: AccountState.ACTIVE, revision: 1n });
    expect(account.terms?.thresholds?.minimumFundingAmount).toBe(0);
    expect(account.limits?.readsPerMinute).toBeUndefined();
    expect(await admin.getAccount({ accountId: account.accountId })).toEqual(account);

    expect(await service.eventsOf(account.accountId)).toMatchObject([
      { type: 'AccountChanged', aggregateVersion: 1n, requestId: 'req-create', message: { revision: 1n } },
    ]);
    expect(await service.auditOf(account.accountId)).toMatchObject([
      {
        at: NOW,
        actor: 'ada',
        action: 'CreateAccount',
        requestId: 'req-create',
        after: {
          name: NEW_ACCOUNT.name,
          revision: '1',
          terms: { billingModel: 'BILLING_MODEL_APPLICATION_CREATED' },
        },
      },
    ]);
  });

  it.each([
    ['permitted_scopes.1', { permittedScopes: [Scope.READ, Scope.READ] }],
    ['permitted_scopes.0', { permittedScopes: [Scope.UNSPECIFIED] }],
    ['permitted_scopes', { permittedScopes: [] }],
    ['terms.billing_model', { terms: { ...TERMS, billingModel: BillingModel.UNSPECIFIED } }],
    ['terms.decision_mode', { terms: { ...TERMS, decisionMode: 0 } }],
    ['terms.application_minting', { terms: { ...TERMS, applicationMinting: 0 } }],
    ['terms.pre_underwriting_failure', { terms: { ...TERMS, preUnderwritingFailure: 0 } }],
    ['terms.caps.accepted_per_day', { terms: { ...TERMS, caps: { acceptedPerDay: -1 } } }],
    ['limits.writes_per_minute', { limits: { writesPerMinute: 0 } }],
    ['limits.reads_per_minute', { limits: { readsPerMinute: 10_000_001 } }],
    ['name', { name: '' }],
  ])('rejects an inconsistent %s (%j) and stores nothing', async (path, fault) => {
    const before = await service.db.account.count();
    expect(await refused(admin.createAccount({ ...NEW_ACCOUNT, ...fault }))).toMatchObject({
      code: 'InvalidArgument',
      refusal: 'VALIDATION_ERROR',
      paths: [path],
    });
    expect(await service.db.account.count()).toBe(before);
  });

  it('rejects a request without terms', async () => {
    const { terms: _, ...incomplete } = NEW_ACCOUNT;
    expect(await refused(admin.createAccount(incomplete))).toMatchObject({ paths: ['terms'] });
  });
});

describe('GetAccount', () => {
  it('returns NOT_FOUND for an unknown id and rejects a malformed one', async () => {
    expect(await refused(admin.getAccount({ accountId: newId() }))).toMatchObject({ refusal: 'NOT_FOUND' });
    expect(await refused(admin.getAccount({ accountId: 'x' }))).toMatchObject({ paths: ['account_id'] });
  });
});

describe('UpdateAccount', () => {
  const update = { state: AccountState.SUSPENDED, permittedScopes: [Scope.PROMOTE], terms: TERMS };

  it('replaces all settings and raises the revision, with an event and an audit entry', async () => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    const changed = await admin.updateAccount({
      ...update,
      accountId,
      revision: 1n,
      limits: { readsPerMinute: 7 },
    });
    expect(changed).toMatchObject({ ...update, name: NEW_ACCOUNT.name, revision: 2n });
    expect(changed.limits).toMatchObject({ readsPerMinute: 7 });
    expect(changed.limits?.writesPerMinute).toBeUndefined();
    expect(await admin.getAccount({ accountId })).toEqual(changed);

    const events = await service.eventsOf(accountId);
    expect(events.map(({ aggregateVersion }) => aggregateVersion)).toEqual([1n, 2n]);
    expect(events[1]).toMatchObject({ type: 'AccountChanged', message: { revision: 2n } });
    const lines = await service.auditOf(accountId);
    expect(lines.map(({ action }) => action)).toEqual(['CreateAccount', 'UpdateAccount']);
    expect(lines[1]).toMatchObject({
      target: accountId,
      before: { state: 'ACCOUNT_STATE_ACTIVE', revision: '1' },
      after: { state: 'ACCOUNT_STATE_SUSPENDED', revision: '2' },
    });
  });

  it('writes no revision, event or audit entry when nothing changes', async () => {
    const created = await admin.createAccount(NEW_ACCOUNT);
    const { accountId, state, terms, limits, revision } = created;
    const same = { accountId, state, terms, limits, revision };
    const permittedScopes = created.permittedScopes.toReversed();
    expect(await admin.updateAccount({ ...same, permittedScopes })).toEqual(created);
    expect(await service.eventsOf(accountId)).toHaveLength(1);
    expect(await service.auditOf(accountId)).toHaveLength(1);
    const stale = { ...same, permittedScopes, revision: 7n };
    expect(await refused(admin.updateAccount(stale))).toMatchObject({ refusal: 'REVISION_CONFLICT' });
  });

  it.each([
    ['every permission to be removed', []],
    ['one permission to be exchanged for another', [Scope.PROMOTE]],
  ])('allows %s', async (_, permittedScopes) => {
    const { accountId, revision } = await admin.createAccount({
      ...NEW_ACCOUNT,
      permittedScopes: [Scope.READ],
    });
    const same = { ...NEW_ACCOUNT, state: AccountState.ACTIVE };
    const changed = await admin.updateAccount({ ...same, accountId, revision, permittedScopes });
    expect(changed.permittedScopes).toEqual(permittedScopes);
  });

  it.each([0n, 1n, 3n])(
    'rejects revision %s of an account at revision 2, returns the current revision and changes nothing',
    async (revision) => {
      const { accountId } = await admin.createAccount(NEW_ACCOUNT);
      const current = await admin.updateAccount({ ...update, accountId, revision: 1n });
      const stale = { ...update, accountId, revision, state: AccountState.ACTIVE };
      expect(await refused(admin.updateAccount(stale))).toMatchObject({
        code: 'Aborted',
        refusal: 'REVISION_CONFLICT',
        currentRevision: 2n,
      });
      expect(await admin.getAccount({ accountId })).toEqual(current);
      expect(await service.eventsOf(accountId)).toHaveLength(2);
      expect(await service.auditOf(accountId)).toHaveLength(2);
    },
  );

  it('lets exactly one of many concurrent updates of the same revision through', async () => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    const calls = Array.from({ length: 20 }, () =>
      admin.updateAccount({ ...update, accountId, revision: 1n }),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await admin.getAccount({ accountId })).revision).toBe(2n);
    expect(await service.eventsOf(accountId)).toHaveLength(2);
  });

  it('returns NOT_FOUND for an unknown account', async () => {
    const unknown = { ...update, accountId: newId(), revision: 1n };
    expect(await refused(admin.updateAccount(unknown))).toMatchObject({
      code: 'NotFound',
      refusal: 'NOT_FOUND',
    });
  });

  it.each([
    ['state', { state: AccountState.UNSPECIFIED }],
    ['permitted_scopes.1', { permittedScopes: [Scope.READ, Scope.READ] }],
    ['terms.decision_mode', { terms: { ...TERMS, decisionMode: 0 } }],
  ])('rejects an inconsistent %s (%j)', async (path, fault) => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    const call = admin.updateAccount({ ...update, accountId, revision: 1n, ...fault });
    expect(await refused(call)).toMatchObject({ refusal: 'VALIDATION_ERROR', paths: [path] });
    expect((await admin.getAccount({ accountId })).revision).toBe(1n);
  });
});

describe('CheckAccount', () => {
  const check = (accountId: string) => service.as('webhook', 'service:webhook').checkAccount({ accountId });

  it('confirms to the webhook service that an account exists, suspended or not, and returns nothing else', async () => {
    const { accountId } = await admin.createAccount(NEW_ACCOUNT);
    expect(await check(accountId)).toEqual({ $typeName: 'supplier.account.v1.CheckAccountResponse' });
    const suspended = { ...NEW_ACCOUNT, accountId, revision: 1n, state: AccountState.SUSPENDED };
    await admin.updateAccount(suspended);
    expect(await check(accountId)).toBeDefined();
  });

  it('rejects an unknown account', async () => {
    expect(await refused(check(newId()))).toMatchObject({ code: 'NotFound', refusal: 'NOT_FOUND' });
  });
});
