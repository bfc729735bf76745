import { visible } from '@supplier/lib/text/visible';
import {
  type Approval,
  ApprovalService,
  ApprovalState,
  ApprovalStateSchema,
} from '@supplier/proto/approval/v1/approval';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type ApprovingService, pagesOf } from '../../calls.ts';
import { textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, enumOptions, FilterBar } from '../../components/filter-bar.tsx';
import { ShortId, SubmissionLink } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { type PagedList, usePagedList } from '../../components/paged-list.ts';
import { SupplierName, useSupplierNames } from '../../components/supplier-name.tsx';
import { UUID } from '../../format.ts';
import { approvalsSearch } from '../../searches.ts';
import { ApprovalScreen } from './approval.tsx';
import { ApprovalBadge, actionName } from './approval-badge.tsx';

const route = getRouteApi('/approvals');

/** Lists approvals of all services, or shows the one in the URL. */
export function ApprovalsScreen() {
  const { service, approval } = route.useSearch();
  if (!service || !approval) return <ApprovalList />;
  return <ApprovalScreen key={`${service} ${approval}`} service={service} approvalId={approval} />;
}

function ApprovalList() {
  const { state = ApprovalState.WAITING } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useApprovals(state);
  return (
    <>
      <PageHeader title="Approvals" />
      <FilterBar>
        <ChoiceFilter
          label="Status"
          options={enumOptions(ApprovalStateSchema)}
          value={state === ApprovalState.UNSPECIFIED ? [] : [state]}
          onChange={([value = 0]) => void navigate({ search: approvalsSearch({ state: value }) })}
          isSingle
        />
      </FilterBar>
      <DataTable
        label="Approvals"
        noun="approval"
        columns={COLUMNS}
        list={list}
        keyOf={({ service, approvalId }) => `${service} ${approvalId}`}
        empty={
          state === ApprovalState.WAITING
            ? 'No requests are pending. Actions that need a second person’s approval appear here.'
            : 'No approvals match. Change or remove the filter.'
        }
        onOpen={(row) => void navigate({ search: linkTo(row) })}
      />
    </>
  );
}

type ListedApproval = Approval & { readonly service: ApprovingService };

/** Merges the lists of both services, pending approvals first, then newest first. */
function useApprovals(state: ApprovalState): PagedList<ListedApproval> {
  const account = useApprovalsOf('account', state);
  const submission = useApprovalsOf('submission', state);
  // Rows of the slower service would push the others apart.
  const isIncomplete = [account, submission].some(({ rows, isFetching }) => isFetching && rows.length === 0);
  const rows = useMemo(
    () =>
      isIncomplete ? [] : [...account.rows, ...submission.rows].toSorted((a, b) => rankOf(b) - rankOf(a)),
    [isIncomplete, account.rows, submission.rows],
  );
  return {
    rows,
    error: account.error ?? submission.error,
    isFetching: account.isFetching || submission.isFetching,
    isFetchingMore: account.isFetchingMore || submission.isFetchingMore,
    hasMore: account.hasMore || submission.hasMore,
    needsClick: account.needsClick || submission.needsClick,
    loadMore: useCallback(() => {
      if (account.hasMore) account.loadMore();
      if (submission.hasMore) submission.loadMore();
    }, [account.hasMore, account.loadMore, submission.hasMore, submission.loadMore]),
    refresh: useCallback(() => {
      account.refresh();
      submission.refresh();
    }, [account.refresh, submission.refresh]),
  };
}

const PENDING_RANK = 1e12;
const rankOf = ({ state, requestedAt }: Approval): number =>
  Number(requestedAt?.seconds ?? 0n) + (state === ApprovalState.WAITING ? PENDING_RANK : 0);

const useApprovalsOf = (
  service: ApprovingService,
  state: ApprovalState,
): Required<PagedList<ListedApproval>> =>
  usePagedList(pagesOf(ApprovalService.method.listApprovals, { state }, service), (answer) =>
    answer.approvals.map((approval) => ({ ...approval, service })),
  );

const linkTo = ({ service, approvalId }: ListedApproval) => ({ service, approval: approvalId });

const COLUMNS: readonly Column<ListedApproval>[] = [
  {
    name: 'Action',
    cell: (approval) => (
      <Link to="/approvals" search={linkTo(approval)}>
        {actionName(approval)}
      </Link>
    ),
    order: ({ action }) => action,
  },
  {
    name: 'Status',
    cell: ({ state }) => <ApprovalBadge state={state} />,
    order: ({ state }) => state,
  },
  textColumn('Requested by', ({ requestedBy }) => requestedBy),
  textColumn('Reason', ({ purpose }) => purpose),
  timeColumn('Requested', ({ requestedAt }) => requestedAt),
  timeColumn('Expires', ({ expiresAt }) => expiresAt),
  { name: 'Target', cell: (approval) => <Target {...approval} />, order: ({ target }) => target },
];

/** The supplier, submission or policy that an action is for. */
function Target({ service, target }: ListedApproval) {
  if (useSupplierNames().has(target)) return <SupplierName accountId={target} />;
  if (service === 'submission' && UUID.test(target)) return <SubmissionLink submissionId={target} />;
  return <ShortId id={visible(target)} />;
}
