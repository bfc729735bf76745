import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ChoiceFilter, FilterBar } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SupplierFilter } from '../../components/supplier-filter.tsx';
import { formatMonth, latestMonths, thisMonth } from '../../dates.ts';
import { AGES_DAYS, billingSearch, type Change } from '../../searches.ts';
import { ValueFigures } from '../statement/value-figures.tsx';
import { PendingBilling, PendingBillingFigure } from './pending-billing.tsx';
import { Statements } from './statements.tsx';
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
      <ValueFigures value={period && { ...period, charges: period.billableLeads }} error={value.error}>
        <PendingBillingFigure account={account} />
      </ValueFigures>
      <Stack gap="lg">
        <Statements month={month} account={account} />
        <PendingBilling account={account} days={pending ?? 0} />
      </Stack>
    </>
  );
}
