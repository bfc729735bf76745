import { ChartPanel } from '../../components/chart.tsx';
import { Figure } from '../../components/figure.tsx';
import { numbersOf, sumOf } from '../../figures.ts';
import { useValue } from '../../figures-query.ts';
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

/** Charges and credits over time. */
export const ValueChart: Report = ({ of }) => (
  <ChartPanel
    title={REPORTS.value}
    query={useValue(of)}
    period={REPORTS.day}
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
