import { Button } from '@blueprintjs/core';
import { AccountStateSchema, type ListedAccount } from '@supplier/proto/account/v1/account';
import { getRouteApi, Link } from '@tanstack/react-router';
import { OpenAccountAct } from '../acts/open-account.tsx';
import { accounts } from '../calls.ts';
import { Choice, Words } from '../parts/filters.tsx';
import { AccountMark } from '../parts/marks.tsx';
import { usePages } from '../parts/pages.ts';
import { type Column, Rows } from '../parts/rows.tsx';
import { timeOf } from '../words.ts';
import { type SuppliersSearch, suppliersSearch } from './suppliers-search.ts';

const route = getRouteApi('/suppliers');

/** Lists suppliers, newest first, with filters for name and state. */
export function SuppliersScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { name, state = 0 } = search;
  const pages = usePages(['suppliers', search], async (page, signal) => {
    const { accounts: rows, nextPageToken } = await accounts.listAccounts(
      { state, ...(name ? { nameContains: name } : {}), ...page },
      { signal },
    );
    return { rows, next: nextPageToken };
  });
  const change = (part: SuppliersSearch) =>
    void navigate({ search: (before: SuppliersSearch) => suppliersSearch({ ...before, ...part }) });
  return (
    <>
      <h1>Suppliers</h1>
      <div className="filters">
        <Words label="name has" value={name} onChange={(value) => change({ name: value })} />
        <Choice
          label="state"
          schema={AccountStateSchema}
          value={state}
          onChange={(value) => change({ state: value })}
        />
        <Button onClick={pages.lookAgain}>Look again</Button>
        <OpenAccountAct />
      </div>
      <Rows
        label="Suppliers"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ accountId }) => accountId}
        nothing="None are found."
      />
    </>
  );
}

const COLUMNS: readonly Column<ListedAccount>[] = [
  {
    name: 'supplier',
    cell: ({ accountId, name }) => (
      <Link to="/suppliers/$accountId" params={{ accountId }}>
        {name}
      </Link>
    ),
    order: ({ name }) => name,
  },
  { name: 'state', cell: ({ state }) => <AccountMark state={state} />, order: ({ state }) => state },
  {
    name: 'created',
    cell: ({ createdAt }) => timeOf(createdAt),
    order: ({ createdAt }) => createdAt?.seconds ?? 0n,
  },
  { name: 'account', cell: ({ accountId }) => accountId },
];
