import { Scope } from '@supplier/proto/common/v1/principal';
import { ALL_SCOPES, newAccount } from '../../harness/accounts.ts';
import { OPERATIONS, type Operation } from '../../harness/operations.ts';
import { staff } from '../../harness/rpc.ts';
import type { Environment, SupplierApi } from '../../harness/suppliers.ts';

const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'production'];
const TABLE = ENVIRONMENTS.flatMap((environment) =>
  ALL_SCOPES.flatMap((scope) =>
    Object.entries(OPERATIONS).map(([name, operation]: [string, Operation]) => ({
      environment,
      scope,
      scopeName: Scope[scope],
      name,
      operation,
      status: operation.scopes.includes(scope) ? operation.permitted : 403,
    })),
  ),
);

const apis = new Map<string, SupplierApi>();

beforeAll(async () => {
  const account = await newAccount();
  for (const environment of ENVIRONMENTS)
    for (const scope of ALL_SCOPES)
      apis.set(`${environment} ${scope}`, await account.issue({ environment, scopes: [scope] }));
});

const send = (api: SupplierApi | undefined, { method, path, body }: Operation, environment?: Environment) => {
  if (!api) throw new Error(`no credential was issued for ${environment}`);
  return api.call({ method, path: path(), ...(body && { body: body() }) });
};

describe('credential scopes', () => {
  it('covers five scopes, eight operations and two environments', () => {
    expect(TABLE).toHaveLength(5 * 8 * 2);
  });

  it.each(TABLE)('returns $status for $name with $scopeName in the $environment', async (row) => {
    const { environment, scope, operation, status } = row;
    const answer = await send(apis.get(`${environment} ${scope}`), operation, environment);
    expect(answer.status).toBe(status);
  });
});

describe('account permissions', () => {
  it.each(Object.entries(OPERATIONS))(
    '%s is refused once the account has lost the permission, with any scope of the credential',
    async (_, row) => {
      const operation: Operation = row;
      const { accountId, issue } = await newAccount();
      const api = await issue();
      const permitted = ALL_SCOPES.filter((scope) => !operation.scopes.includes(scope));
      const { revision, state, terms, limits } = await staff.account().getAccount({ accountId });
      await staff.account().updateAccount({
        accountId,
        revision,
        state,
        permittedScopes: permitted,
        ...(terms && { terms }),
        ...(limits && { limits }),
      });
      expect((await send(api, operation)).status).toBe(403);
    },
  );
});

describe('credentials of the other environment', () => {
  it.each(Object.entries(OPERATIONS))('%s rejects the credential as unknown', async (_, operation) => {
    for (const [here, there] of [
      ['sandbox', 'production'],
      ['production', 'sandbox'],
    ]) {
      const scope = operation.scopes[0];
      const mine = apis.get(`${here} ${scope}`);
      const theirs = apis.get(`${there} ${scope}`);
      if (!mine || !theirs) throw new Error('no credential was issued');
      const { method, path, body }: Operation = operation;
      const { credential } = theirs;
      const answer = await mine.call({ method, path: path(), credential, ...(body && { body: body() }) });
      expect(answer.status).toBe(401);
    }
  });
});
