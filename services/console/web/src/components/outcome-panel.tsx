import type { GetIntakeResponse } from '@supplier/proto/submission/v1/intake';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { numbersOf } from '../figures.ts';
import { ChartPanel } from './chart.tsx';

/** Submissions by day and outcome. */
export const OutcomePanel = (props: {
  readonly query: UseQueryResult<GetIntakeResponse>;
  readonly actions?: ReactNode;
}) => (
  <ChartPanel
    {...props}
    title="Submissions by outcome"
    period="Day"
    kind="stacked"
    format={String}
    chart={({ days }) => ({
      periods: days.map(({ day }) => day),
      series: [
        { name: 'Accepted', color: 'green', values: numbersOf(days, (day) => day.accepted) },
        { name: 'Rejected', color: 'gray', values: numbersOf(days, (day) => day.rejected) },
        { name: 'Duplicate', color: 'amber', values: numbersOf(days, (day) => day.duplicates) },
        { name: 'Returned', color: 'red', values: numbersOf(days, (day) => day.returned) },
        { name: 'Undecided', color: 'blue', values: numbersOf(days, (day) => day.undecided) },
      ],
    })}
  />
);
