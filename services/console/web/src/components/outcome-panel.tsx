import type { GetIntakeResponse } from '@supplier/proto/submission/v1/intake';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ChartPanel } from './chart.tsx';

/** Submissions by day and outcome. */
export const OutcomePanel = (props: {
  readonly query: UseQueryResult<GetIntakeResponse>;
  readonly actions?: ReactNode;
}) => (
  <ChartPanel
    {...props}
    title="Submissions by outcome"
    kind="stacked"
    format={String}
    daysOf={({ days }) => days}
    series={[
      ['Accepted', 'green', (day) => day.accepted],
      ['Rejected', 'gray', (day) => day.rejected],
      ['Duplicate', 'amber', (day) => day.duplicates],
      ['Returned', 'red', (day) => day.returned],
      ['Undecided', 'blue', (day) => day.undecided],
    ]}
  />
);
