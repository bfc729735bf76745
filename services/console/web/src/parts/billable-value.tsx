import { useQuery } from '@tanstack/react-query';
import { billing } from '../calls.ts';
import { poundsOf } from '../words.ts';
import { type FiguresOf, figuresQuery, numbersOf } from './figures-of.ts';
import { Part } from './part.tsx';
import { Plot } from './plot.tsx';
import { ScrollingTable } from './scrolling-table.tsx';

interface BillableValuePartProps {
  readonly of: FiguresOf;
  readonly byMonth: boolean;
}

/** Charges and credits, over time and by account. */
export function BillableValuePart({ of, byMonth }: BillableValuePartProps) {
  const { fromDay, untilDay, accountId } = of;
  const asked = { fromDay, untilDay, byMonth, ...(accountId ? { accountId } : {}) };
  const query = useQuery({
    ...figuresQuery,
    queryKey: ['billable-value', asked],
    queryFn: ({ signal }) => billing.getBillableValue(asked, { signal }),
  });
  return (
    <Part title="Billable value, of production" query={query}>
      {({ periods, accounts }) => (
        <>
          <Plot
            title={byMonth ? 'Charged and credited by month' : 'Charged and credited by day'}
            period={byMonth ? 'month' : 'day'}
            periods={periods.map(({ period }) => period)}
            kind="lines"
            format={poundsOf}
            series={[
              { name: 'charged', values: numbersOf(periods, (one) => one.chargedPence) },
              { name: 'credited', values: numbersOf(periods, (one) => one.creditedPence) },
            ]}
          />
          {accounts.length === 0 ? (
            <p>Nothing was charged.</p>
          ) : (
            <ScrollingTable
              label="billable value by account"
              heads={['account', 'billable leads', 'credits', 'charged', 'credited', 'without a price']}
              rows={accounts.map((one) => [
                one.accountId,
                String(one.billableLeads),
                String(one.credits),
                poundsOf(one.chargedPence),
                poundsOf(one.creditedPence),
                String(one.unpriced),
              ])}
            />
          )}
        </>
      )}
    </Part>
  );
}
