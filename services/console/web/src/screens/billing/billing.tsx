import { Badge, Stack, Text } from '@mantine/core';
import type { Statement } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import type { PendingSubmission } from '@supplier/proto/submission/v1/pending_billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { RowActions } from '../../actions/page-actions.tsx';
import { pagesOf, queryOf, useMay } from '../../calls.ts';
import {
  countColumn,
  enumColumn,
  moneyColumn,
  submissionColumn,
  supplierColumn,
  timeColumn,
} from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Figure } from '../../components/figure.tsx';
import { ChoiceFilter, FilterBar } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { completeList, usePagedList } from '../../components/paged-list.ts';
import { StatementBadge } from '../../components/status-badge.tsx';
import { SupplierFilter } from '../../components/supplier-filter.tsx';
import { formatMonth, latestMonths, thisMonth } from '../../dates.ts';
import { HIGHEST_CHARGES, MAX_ACCOUNTS } from '../../figures-query.ts';
import { formatAgeSince } from '../../format.ts';
import { AGES_DAYS, billingSearch, type Change } from '../../searches.ts';
import { statementQuery } from '../statement/statement-queries.ts';
import { ValueFigures } from '../statement/value-figures.tsx';
import { CloseBillingAction } from '../submission/close-billing.tsx';
import { isUsed, type Selected, statementKeys } from './statement-keys.ts';
import { useValueOfMonth } from './value-of-month.ts';

const MONTHS = 12;
const route = getRouteApi('/billing');

/** The value of a month, the statements of suppliers, and submissions with pending billing. */
export function BillingScreen() {
  const { month, account, pending } = route.useSearch();
  const navigate = route.useNavigate();
  const value = useValueOfMonth(month ?? thisMonth(), account);
  const period = value.data?.periods[0];
  const change = (part: Change<ReturnType<typeof billingSearch>>) =>
    void navigate({ search: (before) => billingSearch({ ...before, ...part }) });
  return (
    <>
      <PageHeader title="Billing">
        <Text c="dimmed" size="sm">
          {formatMonth(month ?? thisMonth())}
        </Text>
      </PageHeader>
      <FilterBar>
        <SupplierFilter value={account} onChange={(value) => change({ account: value })} />
        <ChoiceFilter
          label="Month"
          options={latestMonths(MONTHS).map((value) => ({ value, label: formatMonth(value) }))}
          value={month ? [month] : []}
          onChange={([value]) => change({ month: value })}
          isSingle
        />
        <ChoiceFilter
          label="Billing pending"
          options={AGES_DAYS.map((days) => ({ value: days, label: `${days} or more days ago` }))}
          value={pending ? [pending] : []}
          onChange={([value]) => change({ pending: value })}
          isSingle
        />
      </FilterBar>
      <ValueFigures value={period && { ...period, charges: period.billableSubmissions }} error={value.error}>
        <PendingBillingFigure account={account} />
      </ValueFigures>
      <Stack gap="lg">
        <Statements month={month} account={account} />
        <PendingBilling account={account} days={pending ?? 0} />
      </Stack>
    </>
  );
}

/** The statements of a month for the suppliers with lines in it, or the latest statements of one supplier. */
function Statements({ month, account }: Selected) {
  const value = useValueOfMonth(month ?? thisMonth(), account);
  const wanted = statementKeys({ month, account }, value.data?.accounts ?? []);
  const { rows, error, isFetching } = useQueries({
    // Up to 50 calls, so not polled.
    queries: wanted.map((key) => ({ ...statementQuery(key), refetchInterval: false })),
    combine: (queries) => {
      const isFetching = queries.some(({ isPending }) => isPending);
      return {
        // All at once, so that no row moves another.
        rows: isFetching ? [] : queries.flatMap(({ data }) => (data && isUsed(data) ? [data] : [])),
        error: queries.find((query) => query.error)?.error ?? null,
        isFetching,
      };
    },
  });
  return (
    <>
      <DataTable
        label="Statements"
        noun="statement"
        hasTitle
        columns={COLUMNS}
        list={completeList(rows, {
          error: error ?? value.error,
          isFetching: isFetching || value.isPending,
        })}
        keyOf={({ accountId, month: of }) => `${accountId} ${of}`}
        empty="No charges or credits in this month. Choose another month, or a supplier to see its statements."
      />
      {value.data?.accounts.length === MAX_ACCOUNTS ? <p>{HIGHEST_CHARGES}</p> : null}
    </>
  );
}

const COLUMNS: readonly Column<Statement>[] = [
  {
    name: 'Statement',
    cell: ({ accountId, month }) => (
      <Link className="nowrap" to="/suppliers/$accountId/statements/$month" params={{ accountId, month }}>
        {formatMonth(month)}
      </Link>
    ),
    order: ({ month }) => month,
  },
  supplierColumn('Supplier'),
  { name: 'Status', cell: ({ closedAt }) => <StatementBadge closedAt={closedAt} /> },
  countColumn('Charges', ({ totals }) => totals?.charges, { isMinor: true }),
  moneyColumn('Charged', ({ totals }) => totals?.chargedPence),
  countColumn('Credits', ({ totals }) => totals?.credits, { isMinor: true }),
  moneyColumn('Credited', ({ totals }) => totals?.creditedPence),
  moneyColumn('Net', ({ totals }) => totals?.netPence),
  countColumn('Unpriced', ({ totals }) => totals?.unpriced, {
    cell: ({ totals }) => (totals?.unpriced ? <Badge color="amber">{String(totals.unpriced)}</Badge> : '0'),
  }),
];

const { listPendingBilling, closePendingBilling } = SubmissionService.method;

interface AccountProps {
  readonly account: string | undefined;
}

/** How many accepted submissions have pending billing, and since when. */
function PendingBillingFigure({ account = '' }: AccountProps) {
  const { data, error } = useQuery(queryOf(listPendingBilling, { accountId: account, pageSize: 1 }));
  return (
    <Figure
      label="Billing pending"
      value={data ? `${data.count ?? 0}${data.countIsAtLeast ? '+' : ''}` : undefined}
      detail={
        data &&
        (data.oldestReceivedAt ? `Oldest ${formatAgeSince(data.oldestReceivedAt, Date.now())}` : 'None')
      }
      error={error}
    />
  );
}

interface PendingBillingProps extends AccountProps {
  /** Least age in days. */
  readonly days: number;
}

/** Accepted submissions with pending billing, oldest first. */
function PendingBilling({ account = '', days }: PendingBillingProps) {
  const may = useMay();
  const list = usePagedList(
    pagesOf(listPendingBilling, { pendingDays: days, accountId: account }),
    ({ submissions }) => submissions,
  );
  return (
    <DataTable
      label="Billing pending"
      noun="submission"
      hasTitle
      columns={may(closePendingBilling) ? WITH_ACTIONS : PENDING_COLUMNS}
      list={list}
      keyOf={({ submissionId }) => submissionId}
      empty={
        days > 0
          ? 'No billing has been pending that long. Remove the filter to see all.'
          : 'No accepted submission has pending billing.'
      }
    />
  );
}

const PENDING_COLUMNS: readonly Column<PendingSubmission>[] = [
  submissionColumn('Submission'),
  supplierColumn('Supplier'),
  enumColumn('Billing model', BillingModelSchema, ({ billingModel }) => billingModel, { isMinor: true }),
  timeColumn('Received', ({ receivedAt }) => receivedAt),
  { name: 'Waiting', cell: ({ receivedAt }) => formatAgeSince(receivedAt, Date.now()), isNumber: true },
];
const closeBilling = (submission: PendingSubmission) => (
  <RowActions>
    <CloseBillingAction {...submission} />
  </RowActions>
);
const WITH_ACTIONS: readonly Column<PendingSubmission>[] = [
  ...PENDING_COLUMNS,
  { name: 'Actions', cell: closeBilling },
];
