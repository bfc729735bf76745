import { useQuery } from '@tanstack/react-query';
import { billing } from '../calls.ts';
import { Chart } from '../components/chart.tsx';
import { Panel } from '../components/panel.tsx';
import { SimpleTable } from '../components/simple-table.tsx';
import { formatPounds } from '../format.ts';
import { type FiguresOf, figuresQuery, numbersOf } from './figures-of.ts';

interface BillableValuePanelProps {
  readonly of: FiguresOf;
  readonly byMonth: boolean;
}

/** Charges and credits, over time and by account. */
export function BillableValuePanel({ of, byMonth }: BillableValuePanelProps) {
  const { fromDay, untilDay, accountId } = of;
  const asked = { fromDay, untilDay, byMonth, ...(accountId ? { accountId } : {}) };
  const query = useQuery({
    ...figuresQuery,
    queryKey: ['billable-value', asked],
    queryFn: ({ signal }) => billing.getBillableValue(asked, { signal }),
  });
  return (
    <Panel title="Billable value, production" query={query}>
      {({ periods, accounts }) => (
        <>
          <Chart
            title={byMonth ? 'Charged and credited by month' : 'Charged and credited by day'}
            period={byMonth ? 'month' : 'day'}
            periods={periods.map(({ period }) => period)}
            kind="lines"
            format={formatPounds}
            series={[
              { name: 'charged', values: numbersOf(periods, (one) => one.chargedPence) },
              { name: 'credited', values: numbersOf(periods, (one) => one.creditedPence) },
            ]}
          />
          {accounts.length === 0 ? (
            <p>No charges.</p>
          ) : (
            <SimpleTable
              label="billable value by account"
              heads={['account', 'billable leads', 'credits', 'charged', 'credited', 'without a price']}
              rows={accounts.map((one) => [
                one.accountId,
                String(one.billableLeads),
                String(one.credits),
                formatPounds(one.chargedPence),
                formatPounds(one.creditedPence),
                String(one.unpriced),
              ])}
            />
          )}
        </>
      )}
    </Panel>
  );
}
