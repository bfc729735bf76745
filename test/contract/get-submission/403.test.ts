import { Scope } from '@supplier/proto/common/v1/principal';
import { ALL_SCOPES, newAccount } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { created } from '../../harness/suppliers.ts';

describe('read by id without the scope for reads', () => {
  it('returns 403 with every other scope, for any id', async () => {
    const account = await newAccount();
    const writer = await account.issue({ scopes: ALL_SCOPES.filter((scope) => scope !== Scope.READ) });
    const { submission_id } = await created(writer, enquiry());
    for (const id of [submission_id, '00000000-0000-7000-8000-000000000000', 'no-uuid'])
      expect(refusalOf(await writer.read(id), 403).code).toBe('forbidden');
  });
});
