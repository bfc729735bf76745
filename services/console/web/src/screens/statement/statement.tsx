import { Code, ConnectError } from '@connectrpc/connect';
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { BillingService, type Statement } from '@supplier/proto/billing/v1/billing';
import type { Price } from '@supplier/proto/billing/v1/prices';
import { BillingModel, BillingModelSchema, Environment } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { PageActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { billing, pagesOf, useMay } from '../../calls.ts';
import { enumColumn, moneyColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { CheckField, EnumField, TextField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { completeList, usePagedList } from '../../components/paged-list.ts';
import { LoadState } from '../../components/panel.tsx';
import { StatementBadge } from '../../components/status-badge.tsx';
import { accountQuery } from '../../components/supplier-name.tsx';
import { formatDay, formatMonth, monthsBefore, startOfDay, thisMonth } from '../../dates.ts';
import { enumFlag, enumLabel, formatPounds, formatTime, withNoun } from '../../format.ts';
import { penceOf, priceSet } from './price.ts';
import { StatementLines } from './statement-lines.tsx';
import { type StatementKey, statementQuery } from './statement-queries.ts';
import { isSame } from './totals.ts';
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
    noun="billing model"
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
      noun="price"
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

/** Closes a past month. The dialog stays open even if the month is closed in the meantime. */
function CloseMonthAction({ statement: present }: { readonly statement: Statement }) {
  const may = useMay();
  const [{ accountId, month, closedAt, totals }, onOpen] = useFrozen(present);
  const [allowUnpriced, setAllowUnpriced] = useState(false);
  if (closedAt || month >= thisMonth() || !may(BillingService.method.closeMonth)) return null;
  const net = formatPounds(totals?.netPence ?? 0n);
  const lines = withNoun((totals?.charges ?? 0n) + (totals?.credits ?? 0n), 'line');
  return (
    <ConfirmDialog
      name="Close month"
      description={`Closes ${formatMonth(month)} with ${lines} at ${net}. Later lines go to the next open month. This cannot be undone.`}
      environment={Environment.PRODUCTION}
      command={`sss statements close ${accountId} ${month}${allowUnpriced ? ' --allow-unpriced' : ''} --yes`}
      isDestructive
      onOpen={(isOpen) => {
        onOpen(isOpen);
        setAllowUnpriced(false);
      }}
      run={async () => {
        // Closing is permanent, so close only the totals that the person read.
        const { totals: now } = await billing.getStatement({ accountId, month });
        if (!isSame(totals, now))
          throw new ConnectError(
            `The statement now comes to ${formatPounds(now?.netPence ?? 0n)}. Review it, then close it.`,
            Code.FailedPrecondition,
          );
        return billing.closeMonth({ accountId, month, allowUnpriced });
      }}
      toastOf={() => ({ message: 'Month closed' })}
    >
      {totals?.unpriced ? (
        <CheckField
          label={`Close anyway. ${withNoun(totals.unpriced, 'line')} will stay unpriced.`}
          checked={allowUnpriced}
          onChange={setAllowUnpriced}
        />
      ) : null}
    </ConfirmDialog>
  );
}

/** Sets the price of an account's submissions from a day on. */
function SetPriceAction({ accountId, name }: { readonly accountId: string; readonly name: string }) {
  const may = useMay();
  const [billingModel, setModel] = useState<BillingModel>(BillingModel.UNSPECIFIED);
  const [pounds, setPounds] = useState('');
  const [from, setFrom] = useState('');
  if (!may(BillingService.method.setPrice)) return null;
  const pence = penceOf(pounds);
  const isReady = billingModel !== BillingModel.UNSPECIFIED && pence !== undefined;
  return (
    <ConfirmDialog
      name="Set price"
      description={
        isReady
          ? `${name} pays ${formatPounds(pence)} per submission (${enumLabel(BillingModelSchema, billingModel)}) from ${from ? formatDay(from) : 'now'}. Unpriced lines get this price. Priced lines don’t change.`
          : `Sets the price per submission for ${name}. Unpriced lines get this price. Priced lines don’t change.`
      }
      environment={Environment.PRODUCTION}
      command={`sss prices set ${accountId} --billing-model ${enumFlag(BillingModelSchema, billingModel)} --pence ${pence}${from ? ` --effective-from ${from}T00:00:00Z` : ''}`}
      isReady={isReady}
      onOpen={() => {
        setModel(BillingModel.UNSPECIFIED);
        setPounds('');
        setFrom('');
      }}
      run={(idempotencyKey) =>
        billing.setPrice({
          idempotencyKey,
          accountId,
          billingModel,
          ...(pence === undefined ? {} : { pence }),
          ...(from ? { effectiveFrom: startOfDay(from) } : {}),
        })
      }
      renderResult={({ linesPriced }) => priceSet(from, linesPriced)}
    >
      <EnumField
        label="Billing model"
        path="billing_model"
        schema={BillingModelSchema}
        value={billingModel}
        onChange={setModel}
      />
      <TextField
        label="Price per submission, in pounds"
        description="For example 45 or 45.50."
        path="pence"
        isRequired
        inputMode="decimal"
        value={pounds}
        maxLength={8}
        error={
          pounds === '' || pence !== undefined
            ? undefined
            : 'Enter an amount up to 10,000 with at most two decimals, such as 45 or 45.50.'
        }
        onChange={setPounds}
      />
      <TextField
        label="From (UTC)"
        description="Leave empty to start now."
        path="effective_from"
        type="date"
        value={from}
        onChange={setFrom}
      />
    </ConfirmDialog>
  );
}
