import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { BillingService, type Statement } from '@supplier/proto/billing/v1/billing';
import type { Price } from '@supplier/proto/billing/v1/prices';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { PageActions } from '../../actions/page-actions.tsx';
import { pagesOf } from '../../calls.ts';
import { enumColumn, moneyColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LoadState } from '../../components/load-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { completeList, usePagedList } from '../../components/paged-list.ts';
import { StatementBadge } from '../../components/status-badge.tsx';
import { accountQuery } from '../../components/supplier-name.tsx';
import { formatMonth, monthsBefore, thisMonth } from '../../dates.ts';
import { formatTime } from '../../format.ts';
import { CloseMonthAction } from './close-month.tsx';
import { SetPriceAction } from './set-price.tsx';
import { StatementLines } from './statement-lines.tsx';
import { type StatementKey, statementQuery } from './statement-queries.ts';
import { ValueFigures } from './value-figures.tsx';

const route = getRouteApi('/suppliers/$accountId/statements/$month');

/** The totals, lines and prices of a supplier's month. */
export function StatementScreen() {
  const key = route.useParams();
  const { accountId, month } = key;
  const account = useQuery(accountQuery(accountId));
  const query = useQuery(statementQuery(key));
  const statement = query.data;
  const name = visible(account.data?.name ?? accountId);
  return (
    <>
      <PageHeader
        parent={{ name: 'Billing', to: '/billing' }}
        title={`${name}, ${formatMonth(month)}`}
        actions={
          <PageActions>
            <SetPriceAction accountId={accountId} name={name} />
            {statement ? <CloseMonthAction statement={statement} /> : null}
          </PageActions>
        }
      >
        {statement ? <StatementBadge closedAt={statement.closedAt} /> : null}
      </PageHeader>
      <Months {...key} closed={statement} />
      <LoadState query={query} notFound="There is no such supplier." />
      {statement ? (
        <>
          <ValueFigures value={statement.totals} />
          <Stack gap="lg">
            <StatementLines key={month} of={key} />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
              <ByModel statement={statement} />
              <Prices accountId={accountId} />
            </SimpleGrid>
          </Stack>
        </>
      ) : null}
    </>
  );
}

/** Whether the month can still change, and links to the months beside it. */
const Months = ({ accountId, month, closed }: StatementKey & { readonly closed: Statement | undefined }) => {
  const linkTo = (other: string, label: string) => (
    <Button component={Link} to={`/suppliers/${accountId}/statements/${other}`} size="compact-xs">
      {label}
    </Button>
  );
  const [earlier, later] = [monthsBefore(month, 1), monthsBefore(month, -1)];
  return (
    <Group gap="xs" mb="md">
      {linkTo(earlier, `← ${formatMonth(earlier)}`)}
      {month < thisMonth() ? linkTo(later, `${formatMonth(later)} →`) : null}
      <Text size="sm" c="dimmed">
        {closed
          ? closed.closedAt
            ? `Closed ${formatTime(closed.closedAt)}. It can no longer change.`
            : 'Open. Lines can still be added.'
          : ''}
      </Text>
    </Group>
  );
};

const ByModel = ({ statement: { byModel } }: { readonly statement: Statement }) => (
  <DataTable
    label="By billing model"
    hasTitle
    columns={BY_MODEL}
    list={completeList(byModel)}
    keyOf={({ billingModel }) => String(billingModel)}
    empty="No charges or credits."
  />
);

const BY_MODEL: readonly Column<Statement['byModel'][number]>[] = [
  enumColumn('Billing model', BillingModelSchema, ({ billingModel }) => billingModel),
  moneyColumn('Charged', ({ totals }) => totals?.chargedPence),
  moneyColumn('Credited', ({ totals }) => totals?.creditedPence),
  moneyColumn('Net', ({ totals }) => totals?.netPence),
];

/** The prices of a supplier, last set first. */
function Prices({ accountId }: { readonly accountId: string }) {
  const list = usePagedList(pagesOf(BillingService.method.listPrices, { accountId }), ({ prices }) => prices);
  return (
    <DataTable
      label="Prices"
      hasTitle
      columns={PRICE_COLUMNS}
      list={list}
      keyOf={({ billingModel, setAt }) => `${billingModel} ${setAt?.seconds}.${setAt?.nanos}`}
      empty="No price set. New lines have no price until you set one."
    />
  );
}

const PRICE_COLUMNS: readonly Column<Price>[] = [
  enumColumn('Billing model', BillingModelSchema, ({ billingModel }) => billingModel),
  moneyColumn('Price', ({ pence }) => pence),
  timeColumn('From', ({ effectiveFrom }) => effectiveFrom),
  timeColumn('Set', ({ setAt }) => setAt, { isOptional: true }),
];
