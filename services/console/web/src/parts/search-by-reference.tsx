import { AccountService } from '@supplier/proto/account/v1/account';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accounts, errorMessage, mayCall } from '../calls.ts';
import { FilterText } from '../components/filter-fields.tsx';
import { SubmissionsLink } from '../components/submissions-link.tsx';
import { enumName } from '../format.ts';
import { useSession } from '../session.ts';

/** Maximum suppliers listed. A longer name narrows the search. */
const FEW = 10;

/** Searches for a supplier by name, and links to its submissions whose reference begins with `reference`. */
export function SearchByReference({ reference }: { readonly reference: string }) {
  const { roles } = useSession();
  const [name, setName] = useState('');
  const { data, error } = useQuery({
    queryKey: ['suppliers-called', name],
    queryFn: ({ signal }) => accounts.listAccounts({ nameContains: name, pageSize: FEW }, { signal }),
    enabled: name !== '',
    refetchInterval: false,
  });
  if (!mayCall(roles, AccountService.method.listAccounts)) return null;
  return (
    <>
      <h2>Search by reference</h2>
      <FilterText label="Supplier name contains" value={name} onChange={setName} />
      {error ? <p role="alert">Search failed: {errorMessage(error)}</p> : null}
      {data?.accounts.length === 0 ? <p>No supplier matches.</p> : null}
      <ul>
        {data?.accounts.map(({ accountId, name: called }) => (
          <li key={accountId}>
            {called}:{' '}
            {[Environment.SANDBOX, Environment.PRODUCTION].map((environment) => (
              <span key={environment}>
                <SubmissionsLink search={{ account: accountId, environment, reference }}>
                  {enumName(EnvironmentSchema, environment)}
                </SubmissionsLink>{' '}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {data && data.nextPageToken !== '' ? <p>There are more suppliers. Enter more of the name.</p> : null}
    </>
  );
}
