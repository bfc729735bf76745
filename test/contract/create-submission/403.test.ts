import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { newAccount } from '../../harness/accounts.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import type { SupplierApi } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

describe('create 403', () => {
  it('returns 403 once the account itself may no longer create', async () => {
    const { accountId, ...account } = await newAccount();
    const api = await account.issue();
    submissionOf(await api.create(enquiry()), 202);
    await changeAccount(accountId, { permittedScopes: [Scope.READ] });
    await refused(api);
    refusalOf(await api.readByReference(newReference()), 404);
  });

  it('returns 403 once the account is suspended, for reads too', async () => {
    const { accountId, ...account } = await newAccount();
    const api = await account.issue();
    submissionOf(await api.create(enquiry()), 202);
    await changeAccount(accountId, { state: AccountState.SUSPENDED });
    await refused(api);
    const { message } = refusalOf(await api.readByReference(newReference()), 403);
    expect(message).toMatch(/^The account is suspended/);
  });
});

async function changeAccount(
  accountId: string,
  change: { permittedScopes?: Scope[]; state?: AccountState },
): Promise<void> {
  const { revision, state, permittedScopes, terms, limits } = await staff.account().getAccount({ accountId });
  await staff.account().updateAccount({
    accountId,
    revision,
    state,
    permittedScopes,
    ...(terms && { terms }),
    ...(limits && { limits }),
    ...change,
  });
}

const refused = (api: SupplierApi): Promise<void> =>
  waitFor(
    'the change of the account to take effect',
    async () => {
      const answer = await api.create(enquiry());
      if (answer.status !== 403) throw new NotYet(`${answer.status}`);
    },
    { withinMs: 5000 },
  );
