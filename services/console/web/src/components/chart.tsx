import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ChartProps } from './chart-props.ts';
import { SimpleTable } from './simple-table.tsx';

const HEIGHT_PX = 220;

/** Loaded separately: the library is as large as the rest of a screen. */
const Drawing = lazy(() => import('./chart-drawing.tsx'));

/** A chart with a legend and tooltips, and the same numbers as a table. */
export const Chart = (props: ChartProps) => {
  const { title, period, periods, series, format, isUntitled = false } = props;
  return (
    <figure className="chart" aria-label={title}>
      {isUntitled ? null : <h3>{title}</h3>}
      <Suspense fallback={<Skeleton height={HEIGHT_PX} />}>
        <Drawing {...props} height={HEIGHT_PX} />
      </Suspense>
      <details>
        <summary>{title} as a table</summary>
        <SimpleTable
          label={title}
          heads={[period, ...series.map(({ name }) => name)]}
          numbers={series.map(({ name }) => name)}
          rows={periods.map((name, at) => [
            name,
            ...series.map(({ values }) => {
              const value = values[at] ?? null;
              return value === null ? '—' : format(value);
            }),
          ])}
        />
      </details>
    </figure>
  );
};
