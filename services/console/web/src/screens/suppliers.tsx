import { AccountStateSchema, type ListedAccount } from '@supplier/proto/account/v1/account';
import { getRouteApi, Link } from '@tanstack/react-router';
import { OpenAccountAction } from '../actions/open-account.tsx';
import { accounts } from '../calls.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { FilterSelect, FilterText } from '../components/filter-fields.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { usePagedList } from '../components/paged-list.ts';
import { AccountBadge } from '../components/status-badge.tsx';
import { formatTime } from '../format.ts';
import { type SuppliersSearch, suppliersSearch } from './suppliers-search.ts';

const route = getRouteApi('/suppliers');

/** Lists suppliers, newest first, with filters for name and state. */
export function SuppliersScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { name, state = 0 } = search;
  const list = usePagedList(['suppliers', search], async (page, signal) => {
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
      <PageHeader title="Suppliers" />
      <div className="filters">
        <FilterText label="name contains" value={name} onChange={(value) => change({ name: value })} />
        <FilterSelect
          label="state"
          schema={AccountStateSchema}
          value={state}
          onChange={(value) => change({ state: value })}
        />
        <OpenAccountAction />
      </div>
      <DataTable
        label="Suppliers"
        columns={COLUMNS}
        list={list}
        keyOf={({ accountId }) => accountId}
        empty="No matches. Change or remove a filter."
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
  { name: 'state', cell: ({ state }) => <AccountBadge state={state} />, order: ({ state }) => state },
  {
    name: 'created',
    cell: ({ createdAt }) => formatTime(createdAt),
    order: ({ createdAt }) => createdAt?.seconds ?? 0n,
  },
  { name: 'account', cell: ({ accountId }) => accountId },
];
