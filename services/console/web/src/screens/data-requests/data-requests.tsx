import { Tabs } from '@mantine/core';
import {
  ErasureReasonSchema,
  ErasureState,
  ErasureStateSchema,
  type ListedErasure,
} from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pagesOf } from '../../calls.ts';
import { enumColumn, textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, enumOptions, FilterBar } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { TabList } from '../../components/tab-list.tsx';
import { dataRequestsSearch } from '../../searches.ts';
import { CertificatePanel, ErasureBadge } from './certificate.tsx';
import { RequestSteps } from './request-steps.tsx';
import { RetentionPanel } from './retention.tsx';

const route = getRouteApi('/data-requests');

/** Serves applicants' rights: finds, exports, holds and erases their data. */
export function DataRequestsScreen() {
  const { erasure, tab = 'request' } = route.useSearch();
  const navigate = route.useNavigate();
  if (erasure !== undefined)
    return (
      <>
        <PageHeader parent={{ name: 'Data requests', to: '/data-requests' }} title="Erasure" />
        <CertificatePanel key={erasure} erasureId={erasure} />
      </>
    );
  return (
    <>
      <PageHeader title="Data requests" />
      <Tabs
        value={tab}
        onChange={(chosen) => void navigate({ search: dataRequestsSearch({ tab: chosen }) })}
        keepMounted={false}
      >
        <TabList tabs={{ request: 'New request', erasures: 'Erasures', retention: 'Retention' } as const} />
        <Tabs.Panel value="request">
          <RequestSteps />
        </Tabs.Panel>
        <Tabs.Panel value="erasures">
          <ErasureList />
        </Tabs.Panel>
        <Tabs.Panel value="retention">
          <RetentionPanel />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const IN_PROGRESS = enumOptions(ErasureStateSchema).filter(({ value }) => value === ErasureState.IN_PROGRESS);

/** All erasures with their progress, newest first, both requested and by retention. */
function ErasureList() {
  const navigate = useNavigate();
  const [states, setStates] = useState<readonly number[]>([]);
  const [[reason = 0], setReasons] = useState<readonly number[]>([]);
  const inProgress = states.length > 0;
  const list = usePagedList(
    pagesOf(PrivacyService.method.listErasures, { inProgress, reason }),
    ({ erasures }) => erasures,
  );
  return (
    <>
      <FilterBar>
        <ChoiceFilter label="Status" options={IN_PROGRESS} value={states} onChange={setStates} isSingle />
        <ChoiceFilter
          label="Reason"
          options={enumOptions(ErasureReasonSchema)}
          value={reason ? [reason] : []}
          onChange={setReasons}
          isSingle
        />
      </FilterBar>
      <DataTable
        label="Erasures"
        noun="erasure"
        columns={COLUMNS}
        list={list}
        keyOf={({ erasureId }) => erasureId}
        empty="No erasures match. Erasures appear here when they are requested or retention ends."
        onOpen={({ erasureId }) => void navigate({ to: '/data-requests', search: { erasure: erasureId } })}
      />
    </>
  );
}

const COLUMNS: readonly Column<ListedErasure>[] = [
  timeColumn('Requested', ({ requestedAt }) => requestedAt, { listOrder: 'desc' }),
  {
    name: 'Status',
    cell: ({ state }) => <ErasureBadge state={state} />,
    order: ({ state }) => state,
  },
  {
    name: 'Progress',
    cell: ({ completed, submissions }) => `${completed} of ${submissions}`,
  },
  enumColumn('Reason', ErasureReasonSchema, ({ reason }) => reason),
  textColumn('Requested by', ({ requestedBy }) => requestedBy),
  {
    name: 'Erasure',
    cell: ({ erasureId }) => (
      <Link className="mono" to="/data-requests" search={{ erasure: erasureId }}>
        {erasureId}
      </Link>
    ),
    isRowHeader: true,
  },
];
