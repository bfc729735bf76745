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
import { SUPPLIERS } from './suppliers-texts.ts';

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
        title={SUPPLIERS.title}
        actions={
          <PageActions>
            <OpenAccountAction />
          </PageActions>
        }
      />
      <FilterBar>
        <TextFilter
          label={SUPPLIERS.name}
          placeholder={SUPPLIERS.nameHint}
          value={name}
          onChange={(value) => change({ name: value })}
        />
        <ChoiceFilter
          label={SUPPLIERS.status}
          options={enumOptions(AccountStateSchema)}
          value={state ? [state] : []}
          onChange={([value = 0]) => change({ state: value })}
          isSingle
        />
      </FilterBar>
      <DataTable
        label={SUPPLIERS.title}
        columns={COLUMNS}
        list={list}
        keyOf={({ accountId }) => accountId}
        empty={SUPPLIERS.empty}
        onOpen={({ accountId }) => void navigate({ to: '/suppliers/$accountId', params: { accountId } })}
      />
    </>
  );
}

const COLUMNS: readonly Column<ListedAccount>[] = [
  {
    name: SUPPLIERS.name,
    cell: ({ accountId, name }) => (
      <Link className="name" title={visible(name)} to="/suppliers/$accountId" params={{ accountId }}>
        {visible(name)}
      </Link>
    ),
    order: ({ name }) => name,
  },
  {
    name: SUPPLIERS.status,
    cell: ({ state }) => <AccountBadge state={state} />,
    order: ({ state }) => state,
  },
  timeColumn(SUPPLIERS.created, ({ createdAt }) => createdAt),
  idColumn(SUPPLIERS.id, ({ accountId }) => accountId),
];
