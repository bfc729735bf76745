import { visible } from '@supplier/lib/text/visible';
import { AccountService, AccountStateSchema, type ListedAccount } from '@supplier/proto/account/v1/account';
import { getRouteApi, Link } from '@tanstack/react-router';
import { PageActions } from '../../actions/page-actions.tsx';
import { pagesOf } from '../../calls.ts';
import { idColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, enumOptions, FilterBar, TextFilter } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { AccountBadge } from '../../components/status-badge.tsx';
import { type Change, suppliersSearch } from '../../searches.ts';
import { OpenAccountAction } from './open-account.tsx';

const route = getRouteApi('/suppliers');

/** Lists suppliers, newest first, with filters for name and status. */
export function SuppliersScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { name, state } = search;
  const list = usePagedList(
    pagesOf(AccountService.method.listAccounts, {
      state: state ?? 0,
      ...(name ? { nameContains: name } : {}),
    }),
    (answer) => answer.accounts,
  );
  const change = (part: Change<ReturnType<typeof suppliersSearch>>) =>
    void navigate({ search: (before) => suppliersSearch({ ...before, ...part }) });
  return (
    <>
      <PageHeader
        title="Suppliers"
        actions={
          <PageActions>
            <OpenAccountAction />
          </PageActions>
        }
      />
      <FilterBar>
        <TextFilter
          label="Name"
          placeholder="Contains"
          value={name}
          onChange={(value) => change({ name: value })}
        />
        <ChoiceFilter
          label="Status"
          options={enumOptions(AccountStateSchema)}
          value={state ? [state] : []}
          onChange={([value = 0]) => change({ state: value })}
          isSingle
        />
      </FilterBar>
      <DataTable
        label="Suppliers"
        noun="supplier"
        columns={COLUMNS}
        list={list}
        keyOf={({ accountId }) => accountId}
        empty="No suppliers match. Change or remove a filter, or open an account."
        onOpen={({ accountId }) => void navigate({ to: '/suppliers/$accountId', params: { accountId } })}
      />
    </>
  );
}

const COLUMNS: readonly Column<ListedAccount>[] = [
  {
    name: 'Name',
    cell: ({ accountId, name }) => (
      <Link className="name" title={visible(name)} to="/suppliers/$accountId" params={{ accountId }}>
        {visible(name)}
      </Link>
    ),
    order: ({ name }) => name,
  },
  {
    name: 'Status',
    cell: ({ state }) => <AccountBadge state={state} />,
    order: ({ state }) => state,
  },
  timeColumn('Created', ({ createdAt }) => createdAt),
  idColumn('ID', ({ accountId }) => accountId),
];
