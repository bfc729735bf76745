import { ChartPanel } from '../../components/chart.tsx';
import { Figure } from '../../components/figure.tsx';
import { numbersOf, sumOf } from '../../figures.ts';
import { useValue } from '../../figures-query.ts';
import { formatPounds } from '../../format.ts';
import type { Report } from './report.tsx';

/** What was charged and credited. */
export const ValueFigure: Report = ({ of }) => {
  const { data, error } = useValue(of);
  const periods = data?.periods ?? [];
  return (
    <Figure
      label="Charged, production"
      value={data && formatPounds(sumOf(periods, (one) => one.chargedPence))}
      detail={`${formatPounds(sumOf(periods, (one) => one.creditedPence))} credited`}
      error={error}
    />
  );
};

/** Charges and credits over time. */
export const ValueChart: Report = ({ of }) => (
  <ChartPanel
    title="Charged and credited, production"
    query={useValue(of)}
    period="Day"
    kind="lines"
    format={formatPounds}
    chart={({ periods }) => ({
      periods: periods.map(({ period }) => period),
      series: [
        { name: 'Charged', color: 'green', values: numbersOf(periods, (one) => one.chargedPence) },
        { name: 'Credited', color: 'red', values: numbersOf(periods, (one) => one.creditedPence) },
      ],
    })}
  />
);
