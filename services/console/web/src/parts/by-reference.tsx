import { AccountService } from '@supplier/proto/account/v1/account';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accounts, mayCall, sentenceOf } from '../calls.ts';
import { useSession } from '../session.ts';
import { wordOf } from '../words.ts';
import { Words } from './filters.tsx';
import { SubmissionsLink } from './submissions-link.tsx';

/** Maximum suppliers listed. A longer name narrows the search. */
const FEW = 10;

/** Searches for a supplier by name, and links to its submissions whose reference begins with `reference`. */
export function ByReference({ reference }: { readonly reference: string }) {
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
      <h2>Is it what a supplier calls it?</h2>
      <Words label="the supplier’s name has" value={name} onChange={setName} />
      {error ? <p role="alert">This cannot be looked for: {sentenceOf(error)}</p> : null}
      {data?.accounts.length === 0 ? <p>No supplier is called so.</p> : null}
      <ul>
        {data?.accounts.map(({ accountId, name: called }) => (
          <li key={accountId}>
            {called}:{' '}
            {[Environment.SANDBOX, Environment.PRODUCTION].map((environment) => (
              <span key={environment}>
                <SubmissionsLink search={{ account: accountId, environment, reference }}>
                  {wordOf(EnvironmentSchema, environment)}
                </SubmissionsLink>{' '}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {data && data.nextPageToken !== '' ? <p>There are more: write more of the name.</p> : null}
    </>
  );
}
