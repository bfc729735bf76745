import { NativeSelect } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Approval, ApprovalState, ApprovalStateSchema } from '@supplier/proto/approval/v1/approval';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { approvals } from '../calls.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { usePagedList } from '../components/paged-list.ts';
import { enumName, formatTime } from '../format.ts';
import { ApprovalWhole } from '../parts/approval-whole.tsx';
import { type ApprovalsSearch, type ApprovingService, approvalsSearch } from './approvals-search.ts';

const route = getRouteApi('/approvals');
const SERVICES = ['account', 'submission'] as const satisfies readonly ApprovingService[];

/** Lists approvals, and shows one of them in full. */
export function ApprovalsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { state = ApprovalState.WAITING, service, approval } = search;
  return (
    <>
      <PageHeader title="Approvals" />
      {service && approval ? (
        <ApprovalWhole key={`${service} ${approval}`} service={service} approvalId={approval} />
      ) : null}
      <div className="filters">
        <NativeSelect
          size="xs"
          label="state"
          value={state}
          onChange={(event) => {
            const chosen = Number(event.target.value);
            void navigate({
              search: (before: ApprovalsSearch) => approvalsSearch({ ...before, state: chosen }),
            });
          }}
        >
          {ApprovalStateSchema.values.map(({ number }) => (
            <option key={number} value={number}>
              {number === 0 ? 'any' : enumName(ApprovalStateSchema, number)}
            </option>
          ))}
        </NativeSelect>
      </div>
      {SERVICES.map((one) => (
        <OfService key={one} service={one} state={state} search={search} />
      ))}
    </>
  );
}

interface OfServiceProps {
  readonly service: ApprovingService;
  readonly state: ApprovalState;
  readonly search: ApprovalsSearch;
}

function OfService({ service, state, search }: OfServiceProps) {
  const list = usePagedList(['approvals', service, state], async (page, signal) => {
    const answer = await approvals[service].listApprovals({ state, ...page }, { signal });
    return { rows: answer.approvals, next: answer.nextPageToken };
  });
  const columns = useMemo(() => columnsOf(service, search), [service, search]);
  return (
    <section className="panel">
      <h2>Of the {service} service</h2>
      <DataTable
        label={`Approvals of the ${service} service`}
        columns={columns}
        // Another list may follow, so this one grows only on click.
        list={{ ...list, needsClick: true }}
        keyOf={({ approvalId }) => approvalId}
        empty="None."
      />
    </section>
  );
}

const columnsOf = (service: ApprovingService, search: ApprovalsSearch): readonly Column<Approval>[] => [
  {
    name: 'approval',
    cell: ({ approvalId }) => (
      <Link to="/approvals" search={{ ...search, service, approval: approvalId }}>
        {approvalId}
      </Link>
    ),
  },
  { name: 'state', cell: ({ state }) => enumName(ApprovalStateSchema, state), order: ({ state }) => state },
  { name: 'act', cell: ({ action }) => visible(action), order: ({ action }) => action },
  { name: 'target', cell: ({ target }) => visible(target), order: ({ target }) => target },
  {
    name: 'asked by',
    cell: ({ requestedBy }) => visible(requestedBy),
    order: ({ requestedBy }) => requestedBy,
  },
  {
    name: 'asked',
    cell: ({ requestedAt }) => formatTime(requestedAt),
    order: ({ requestedAt }) => requestedAt?.seconds ?? 0n,
  },
  {
    name: 'ends',
    cell: ({ expiresAt }) => formatTime(expiresAt),
    order: ({ expiresAt }) => expiresAt?.seconds ?? 0n,
  },
  { name: 'why', cell: ({ purpose }) => visible(purpose) },
];
