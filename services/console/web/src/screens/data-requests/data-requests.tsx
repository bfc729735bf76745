import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button, Group, NumberInput, Tabs, Text } from '@mantine/core';
import {
  ErasureReasonSchema,
  ErasureState,
  ErasureStateSchema,
  type ListedErasure,
} from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { keyOf, pagesOf, people } from '../../calls.ts';
import { enumColumn, textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, enumOptions, FilterBar } from '../../components/filter-bar.tsx';
import { SubmissionLink } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { TabList } from '../../components/tab-list.tsx';
import { DAY_MS, formatMonth } from '../../dates.ts';
import { withNoun } from '../../format.ts';
import { dataRequestsSearch } from '../../searches.ts';
import { CertificatePanel, ErasureBadge } from './certificate.tsx';
import { RequestSteps } from './request-steps.tsx';

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

const MAX_DAYS = 3_650;

/** Previews what retention will erase. It erases nothing. */
function RetentionPanel() {
  const [days, setDays] = useState(30);
  const query = useQuery({
    queryKey: keyOf(PrivacyService.method.previewRetention, {}, days),
    refetchInterval: false,
    queryFn: ({ signal }) =>
      people.previewRetention({ at: timestampFromDate(new Date(Date.now() + days * DAY_MS)) }, { signal }),
  });
  return (
    <Panel title="Retention" query={query} actions={<DaysForm days={days} onChange={setDays} />}>
      {({ groups, count, atLeast, firstIds, acceptedDays, notAcceptedDays }) => (
        <>
          <Text size="sm" c="dimmed">
            {`Accepted applicants are kept for ${withNoun(acceptedDays, 'day')}, others for ${withNoun(notAcceptedDays, 'day')}.`}
          </Text>
          <Text my="sm" role="status">
            {count === 0
              ? 'Nothing is due for erasure in this period.'
              : `${atLeast ? 'At least ' : ''}${withNoun(count, 'submission')} will be erased within ${withNoun(days, 'day')}.`}
          </Text>
          {groups.length === 0 ? null : (
            <SimpleTable
              label="Due for erasure"
              heads={['Supplier', 'Environment', 'Decided in', 'Accepted', 'Count']}
              numbers={['Count']}
              rows={groups.map(({ accountId, environment, month, accepted, count: some }) => [
                <SupplierName key="supplier" accountId={accountId} />,
                <EnvironmentBadge key="environment" environment={environment} />,
                formatMonth(month),
                accepted ? 'Yes' : 'No',
                some.toLocaleString('en-GB'),
              ])}
            />
          )}
          {firstIds.length === 0 ? null : (
            <Text size="sm" mt="sm" component="div">
              First due
              <Group gap="xs">
                {firstIds.map((submissionId) => (
                  <SubmissionLink key={submissionId} submissionId={submissionId} />
                ))}
              </Group>
            </Text>
          )}
        </>
      )}
    </Panel>
  );
}

function DaysForm({ days, onChange }: { readonly days: number; readonly onChange: (days: number) => void }) {
  const [typed, setTyped] = useState<number | string>(days);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof typed === 'number') onChange(typed);
      }}
    >
      <Group gap="xs">
        <NumberInput
          size="xs"
          w={90}
          aria-label="Days from now"
          min={0}
          max={MAX_DAYS}
          clampBehavior="strict"
          allowDecimal={false}
          suffix=" days"
          value={typed}
          onChange={setTyped}
        />
        <Button type="submit">Preview</Button>
      </Group>
    </form>
  );
}
