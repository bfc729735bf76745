import type { ConnectRouter } from '@connectrpc/connect';
import { AccountService, AccountState, type UpdateAccountRequest } from '@supplier/proto/account/v1/account';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';

const ACCOUNT = '01998c1e-7d5c-7000-8000-000000000001';

let services: FakeServices | undefined;
afterEach(() => services?.close());

async function play(routes: (router: ConnectRouter) => void): Promise<FakeServices> {
  services = await startFakeServices(routes);
  return services;
}

describe('a command that replaces an object', () => {
  it('keeps the values and the revision as read, except for those given as flags', async () => {
    const updates: UpdateAccountRequest[] = [];
    const account = {
      accountId: ACCOUNT,
      state: AccountState.SUSPENDED,
      permittedScopes: [1, 2],
      terms: { billingModel: 2, caps: { acceptedPerDay: 5, acceptedPerMonth: 50 } },
      limits: { readsPerMinute: 600 },
      revision: 7n,
    };
    const shell = await play((router) =>
      router.service(AccountService, {
        getAccount: () => account,
        updateAccount: (request) => {
          updates.push(request);
          return {};
        },
      }),
    );
    const ended = await shell.run('accounts', 'update', ACCOUNT, '--accepted-per-day', '6');
    expect(ended.code).toBe(0);
    expect(updates).toMatchObject([
      { ...account, terms: { billingModel: 2, caps: { acceptedPerDay: 6, acceptedPerMonth: 50 } } },
    ]);
  });
});

describe('a change of nothing', () => {
  it.each([
    ['without a flag', []],
    ['with a flag that changes nothing of the account', ['--yes']],
    ['with flags of the output', ['--json', '--timeout', '5']],
  ])('is refused before any call: %s', async (_, flags) => {
    const shell = await play((router) => router.service(AccountService, {}));
    const { code, stdout, stderr } = await shell.run('accounts', 'update', ACCOUNT, ...flags);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('`sss accounts update` has nothing to change'),
    });
    expect(shell.received).toEqual([]);
  });
});

describe('a change of an account', () => {
  /**
   * Starts a service with an account in this state. As in the real service, a request that changes nothing keeps the
   * revision.
   */
  const accountIn = async (state: AccountState) => {
    const updates: UpdateAccountRequest[] = [];
    const account = { accountId: ACCOUNT, state, revision: 7n };
    const shell = await play((router) =>
      router.service(AccountService, {
        getAccount: () => account,
        updateAccount: (request) => {
          updates.push(request);
          return { ...account, state: request.state, revision: request.state === state ? 7n : 8n };
        },
      }),
    );
    return { shell, updates };
  };
  const SUSPEND = ['accounts', 'update', ACCOUNT, '--state', 'suspended'];
  const { ACTIVE, SUSPENDED } = AccountState;

  it('asks for confirmation to suspend an active supplier, and changes nothing without it', async () => {
    const { shell, updates } = await accountIn(ACTIVE);
    expect(await shell.run(...SUSPEND)).toMatchObject({ code: 7, stdout: '' });
    const refused = await shell.runAs({ answers: 'no' }, ...SUSPEND);
    expect(refused).toMatchObject({ code: 7, stdout: '' });
    expect(refused.stderr).toMatch(/stop working immediately.* Context: played\.\nContinue\?/);
    expect(updates).toEqual([]);
    expect((await shell.run(...SUSPEND, '--yes')).code).toBe(0);
    expect((await shell.runAs({ answers: 'yes' }, ...SUSPEND)).code).toBe(0);
    expect(updates).toHaveLength(2);
  });

  it.each([
    ['reactivates a suspended supplier', SUSPENDED, 'active'],
    ['suspends a suspended supplier', SUSPENDED, 'suspended'],
    ['leaves the supplier active', ACTIVE, 'active'],
  ])('asks for no confirmation when it %s', async (_, before, state) => {
    const { shell, updates } = await accountIn(before);
    expect((await shell.run('accounts', 'update', ACCOUNT, '--state', state)).code).toBe(0);
    expect(updates).toHaveLength(1);
  });

  it('reports when nothing was changed', async () => {
    const { shell } = await accountIn(SUSPENDED);
    expect((await shell.run(...SUSPEND)).stderr).toBe('nothing to change');
    const { stderr } = await shell.run('accounts', 'update', ACCOUNT, '--state', 'active');
    expect(stderr).toBe('');
  });
});
