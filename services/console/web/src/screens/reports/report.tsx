import type { UseQueryResult } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import { ChartPanel } from '../../components/chart.tsx';
import { numbersOf } from '../../figures.ts';
import type { FiguresOf } from '../../figures-query.ts';
import { formatDuration } from '../../format.ts';

/** A section of the reports. */
export type Report = FunctionComponent<{ readonly of: FiguresOf }>;

interface DurationPanelProps<Day> {
  readonly title: string;
  readonly query: UseQueryResult<{ readonly days: readonly Day[] }>;
  readonly p50: (day: Day) => bigint | undefined;
  readonly p95: (day: Day) => bigint | undefined;
}

/** How long something took, by day. */
export const DurationPanel = <Day extends { readonly day: string }>({
  title,
  query,
  p50,
  p95,
}: DurationPanelProps<Day>) => (
  <ChartPanel
    title={title}
    query={query}
    period="Day"
    kind="lines"
    format={formatDuration}
    chart={({ days }) => ({
      periods: days.map(({ day }) => day),
      series: [
        { name: 'p50', color: 'blue', values: numbersOf(days, p50) },
        { name: 'p95', color: 'amber', values: numbersOf(days, p95) },
      ],
    })}
  />
);
