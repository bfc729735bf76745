import type { IntakeOfDay } from '@supplier/proto/submission/v1/intake';
import { numbersOf } from '../figures-query.ts';
import { Chart } from './chart.tsx';

interface OutcomeChartProps {
  readonly title: string;
  readonly days: readonly IntakeOfDay[];
}

/** Submissions by day and outcome. */
export const OutcomeChart = ({ days, ...chart }: OutcomeChartProps) => (
  <Chart
    {...chart}
    period="Day"
    periods={days.map(({ day }) => day)}
    kind="stacked"
    format={String}
    series={[
      { name: 'Accepted', color: 'green', values: numbersOf(days, (day) => day.accepted) },
      { name: 'Rejected', color: 'gray', values: numbersOf(days, (day) => day.rejected) },
      { name: 'Duplicate', color: 'amber', values: numbersOf(days, (day) => day.duplicates) },
      { name: 'Returned', color: 'red', values: numbersOf(days, (day) => day.returned) },
      { name: 'Undecided', color: 'blue', values: numbersOf(days, (day) => day.undecided) },
    ]}
  />
);
