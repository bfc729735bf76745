import { AccountState } from '@supplier/proto/account/v1/account';
import { newAccount } from '../../harness/accounts.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

it('create 403 is the response once the account is suspended, for reads too', async () => {
  const { accountId, ...account } = await newAccount();
  const api = await account.issue();
  submissionOf(await api.create(enquiry()), 202);
  const { revision, permittedScopes, terms } = await staff.account().getAccount({ accountId });
  const change = { accountId, revision, permittedScopes, ...(terms && { terms }) };
  await staff.account().updateAccount({ ...change, state: AccountState.SUSPENDED });
  await waitFor(
    'the change of the account to take effect',
    async () => {
      const answer = await api.create(enquiry());
      if (answer.status !== 403) throw new NotYet(`${answer.status}`);
    },
    { withinMs: 5000 },
  );
  const { message } = refusalOf(await api.readByReference(newReference()), 403);
  expect(message).toMatch(/^The account is suspended/);
});
