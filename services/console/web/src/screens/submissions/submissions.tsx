import { Badge, Group, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  BillingStatusSchema,
  Environment,
  LevelSchema,
  Status,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { QueueSchema } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import { pagesOf } from '../../calls.ts';
import { Business } from '../../components/business.tsx';
import { enumColumn, idColumn, supplierColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EarlierSubmission } from '../../components/earlier-submission.tsx';
import {
  ChoiceFilter,
  DateFilter,
  enumOptions,
  FilterBar,
  TextFilter,
} from '../../components/filter-bar.tsx';
import { SubmissionLink } from '../../components/mono.tsx';
import { OnDemand } from '../../components/on-demand.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { SavedViews } from '../../components/saved-views.tsx';
import { useSelection } from '../../components/selection.tsx';
import { BillingBadge, ContactBadge, EnvironmentBadge, StatusBadge } from '../../components/status-badge.tsx';
import { SupplierFilter } from '../../components/supplier-filter.tsx';
import { useEnvironment } from '../../environment.ts';
import { formatWholePounds } from '../../format.ts';
import { type Change, type SubmissionsSearch, submissionsSearch } from '../../searches.ts';
import { useSession } from '../../session.ts';
import { BulkBar, mayUseBulkActions } from './bulk-bar.tsx';
import { nextWaiting } from './next-waiting.ts';
import { isQueue, requestOf } from './request-of.ts';

/** Loaded when a row is opened first. */
const PreviewDrawer = lazy(() => import('./preview-drawer.tsx'));

const route = getRouteApi('/submissions');

/** Lists submissions, newest first or, in a queue, oldest first, with filters, bulk actions and a preview. */
export function SubmissionsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = useEnvironment();
  const environment = search.both ? Environment.UNSPECIFIED : chosen;
  const list = usePagedList(
    pagesOf(SubmissionService.method.listSubmissions, { ...requestOf(search), environment }),
    (answer) => answer.submissions,
  );
  const selection = useSelection(JSON.stringify([search, environment]), list.rows, idOf, nameOf);
  const maySelect = mayUseBulkActions(useSession().roles);
  const [previewed, setPreviewed] = useState<ListedSubmission>();
  const change = (part: Change<SubmissionsSearch>) =>
    void navigate({ search: (before) => submissionsSearch({ ...before, ...part }) });
  return (
    <>
      <PageHeader title="Submissions" />
      <Filters search={search} change={change} />
      {maySelect ? <BulkBar selection={selection} /> : null}
      <DataTable
        label="Submissions"
        noun="submission"
        columns={isQueue(search) ? QUEUE_COLUMNS : COLUMNS}
        list={list}
        keyOf={idOf}
        empty="No submissions match. Change or remove a filter."
        selection={maySelect ? selection : undefined}
        onOpen={setPreviewed}
      />
      {previewed ? (
        <OnDemand>
          <PreviewDrawer
            submissionId={previewed.submissionId}
            title={`Submission ${referenceOf(previewed)}`}
            onDecided={() => setPreviewed(nextWaiting(list.rows, previewed))}
            onClosed={() => setPreviewed(undefined)}
          />
        </OnDemand>
      ) : null}
    </>
  );
}

interface FiltersProps {
  readonly search: SubmissionsSearch;
  readonly change: (part: Change<SubmissionsSearch>) => void;
}

function Filters({ search, change }: FiltersProps) {
  const { both, status, billing, queue, level, account, reference, request, since, until } = search;
  return (
    <FilterBar>
      <ChoiceFilter
        label="Status"
        options={enumOptions(StatusSchema)}
        value={status ?? []}
        onChange={(value) => change({ status: value })}
      />
      <ChoiceFilter
        label="Billing"
        options={enumOptions(BillingStatusSchema)}
        value={billing ? [billing] : []}
        onChange={([value = 0]) => change({ billing: value })}
        isSingle
      />
      <SupplierFilter value={account} onChange={(value) => change({ account: value })} />
      <DateFilter label="Received" value={{ since, until }} onChange={change} />
      <ChoiceFilter
        label="Queue"
        options={enumOptions(QueueSchema)}
        value={queue ?? []}
        onChange={(value) => change({ queue: value })}
      />
      <ChoiceFilter
        label="Level"
        options={enumOptions(LevelSchema)}
        value={level ? [level] : []}
        onChange={([value = 0]) => change({ level: value })}
        isSingle
      />
      <TextFilter
        label="Reference"
        placeholder="Starts with"
        value={reference}
        onChange={(value) => change({ reference: value })}
      />
      <TextFilter label="Request ID" value={request} onChange={(value) => change({ request: value })} />
      <ChoiceFilter
        label="Environment"
        options={[{ value: 'yes', label: 'Both environments' }]}
        value={both ? [both] : []}
        onChange={([value]) => change({ both: value })}
        isSingle
      />
      <SavedViews list="Submissions" />
    </FilterBar>
  );
}

const idOf = ({ submissionId }: ListedSubmission) => submissionId;
const referenceOf = ({ externalReference }: ListedSubmission) => visible(externalReference);
/** References are unique only within a supplier: two suppliers may use the same one. */
const nameOf = (submission: ListedSubmission) => `${referenceOf(submission)}, ${idOf(submission)}`;

const columnsIn = (listOrder: 'asc' | 'desc'): readonly Column<ListedSubmission>[] => [
  timeColumn('Received', ({ receivedAt }) => receivedAt, { listOrder }),
  supplierColumn('Supplier'),
  {
    name: 'Reference',
    cell: (submission) => (
      <SubmissionLink submissionId={submission.submissionId}>{referenceOf(submission)}</SubmissionLink>
    ),
    order: ({ externalReference }) => externalReference,
    isRowHeader: true,
  },
  {
    name: 'Amount',
    cell: ({ fundingAmount }) => formatWholePounds(fundingAmount),
    order: ({ fundingAmount = 0 }) => fundingAmount,
    isNumber: true,
  },
  {
    name: 'Business',
    cell: (submission) => <Business of={submission} />,
    order: ({ businessSector }) => businessSector,
  },
  enumColumn('Level', LevelSchema, ({ level }) => level),
  {
    name: 'Status',
    cell: (submission) => {
      const { status, waitsForStaff, parked, checkContact } = submission;
      return (
        <Group gap={4}>
          <StatusBadge status={status} />
          {waitsForStaff && status !== Status.RECEIVED ? <Badge color="amber">In review</Badge> : null}
          {parked ? <Badge color="red">Parked</Badge> : null}
          <ContactBadge checks={checkContact} />
          {submission.duplicateOf === '' ? null : (
            <Text size="xs" c="dimmed">
              of <EarlierSubmission of={submission} />
            </Text>
          )}
        </Group>
      );
    },
    order: ({ status }) => status,
  },
  {
    name: 'Billing',
    cell: ({ billingStatus }) => <BillingBadge status={billingStatus} />,
    order: ({ billingStatus }) => billingStatus,
    isMinor: true,
  },
  idColumn('Application', ({ applicationReference }) => applicationReference || '—', {
    isOptional: true,
  }),
  {
    name: 'Environment',
    cell: ({ environment }) => <EnvironmentBadge environment={environment} />,
    isOptional: true,
  },
  idColumn('ID', idOf, { isOptional: true }),
];
const COLUMNS = columnsIn('desc');
const QUEUE_COLUMNS = columnsIn('asc');
