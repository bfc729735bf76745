import { Scope } from '@supplier/proto/common/v1/principal';
import { ALL_SCOPES, newAccount } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { CREATE_PATH } from '../../harness/http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { created } from '../../harness/suppliers.ts';

describe('read by reference without the scope for reads', () => {
  it('returns 403 with every other scope, for any query', async () => {
    const account = await newAccount();
    const writer = await account.issue({ scopes: ALL_SCOPES.filter((scope) => scope !== Scope.READ) });
    const { external_reference } = await created(writer, enquiry());
    for (const query of [`?external_reference=${external_reference}`, '', '?external_reference='])
      expect(refusalOf(await writer.call({ path: `${CREATE_PATH}${query}` }), 403).code).toBe('forbidden');
  });
});
