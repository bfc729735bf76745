import { Scope } from '@supplier/proto/common/v1/principal';
import { ALL_SCOPES, newAccount } from '../../harness/accounts.ts';
import { OPERATIONS, type Operation } from '../../harness/operations.ts';
import type { SupplierApi } from '../../harness/suppliers.ts';

let api: SupplierApi;

describe.each(ALL_SCOPES.map((scope) => [Scope[scope], scope] as const))('scope %s', (_name, scope) => {
  beforeAll(async () => {
    api = await (await newAccount()).issue({ scopes: [scope] });
  });

  it.each(Object.entries(OPERATIONS))('decides whether %s is permitted', async (_operation, row) => {
    const { method, path, body, scopes, permitted }: Operation = row;
    const answer = await api.call({ method, path: path(), ...(body && { body: body() }) });
    expect(answer.status).toBe(scopes.includes(scope) ? permitted : 403);
  });
});
