import type { GetBillableValueResponse } from '@supplier/proto/billing/v1/billable_value';
import { ChartPanel } from '../../components/chart.tsx';
import { Figure } from '../../components/figure.tsx';
import { Money } from '../../components/money.tsx';
import { Panel, PanelBody } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { netOf, numbersOf, sumOf } from '../../figures.ts';
import { HIGHEST_CHARGES, MAX_ACCOUNTS, useValue } from '../../figures-query.ts';
import { formatPounds } from '../../format.ts';
import type { Report } from './report.tsx';
import { REPORTS } from './reports-texts.ts';

/** What was charged and credited. */
export const ValueFigure: Report = ({ of }) => {
  const { data, error } = useValue(of);
  const periods = data?.periods ?? [];
  return (
    <Figure
      label={REPORTS.chargedFigure}
      value={data && formatPounds(sumOf(periods, (one) => one.chargedPence))}
      detail={REPORTS.creditedIs(formatPounds(sumOf(periods, (one) => one.creditedPence)))}
      error={error}
    />
  );
};

/** Charges and credits over time, and by supplier. */
export const ValueCharts: Report = (props) => (
  <>
    <ValueChart {...props} />
    <ValueBySupplier {...props} />
  </>
);

const ValueChart: Report = ({ of }) => (
  <ChartPanel
    title={REPORTS.value}
    query={useValue(of)}
    period={of.byMonth ? REPORTS.month : REPORTS.day}
    kind="lines"
    format={formatPounds}
    chart={({ periods }) => ({
      periods: periods.map(({ period }) => period),
      series: [
        { name: REPORTS.charged, color: 'green', values: numbersOf(periods, (one) => one.chargedPence) },
        { name: REPORTS.credited, color: 'red', values: numbersOf(periods, (one) => one.creditedPence) },
      ],
    })}
  />
);

const ValueBySupplier: Report = ({ of }) => (
  <Panel title={REPORTS.valueBySupplier} query={useValue(of)} isFlush>
    {({ accounts }) => (
      <>
        <ValueTable accounts={accounts} />
        {accounts.length === MAX_ACCOUNTS ? <PanelBody>{HIGHEST_CHARGES}</PanelBody> : null}
      </>
    )}
  </Panel>
);

/** The last column appears only if a line has no price. */
function ValueTable({ accounts }: Pick<GetBillableValueResponse, 'accounts'>) {
  const heads = accounts.some(({ unpriced }) => unpriced > 0n) ? HEADS : HEADS.slice(0, -1);
  return (
    <SimpleTable
      label={REPORTS.valueBySupplier}
      empty={REPORTS.noCharges}
      heads={heads}
      numbers={heads.slice(1)}
      rows={accounts.map((one) =>
        [
          <SupplierName key="supplier" accountId={one.accountId} />,
          one.billableLeads.toLocaleString('en-GB'),
          <Money key="charged" pence={one.chargedPence} />,
          <Money key="credited" pence={one.creditedPence} />,
          <Money key="net" pence={netOf(one)} />,
          one.unpriced.toLocaleString('en-GB'),
        ].slice(0, heads.length),
      )}
    />
  );
}

const HEADS = [
  REPORTS.supplier,
  REPORTS.billable,
  REPORTS.charged,
  REPORTS.credited,
  REPORTS.net,
  REPORTS.unpriced,
];
