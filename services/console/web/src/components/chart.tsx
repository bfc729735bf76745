import { Box, ColorSwatch, Group, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { numbersOf } from '../figures.ts';
import { type ChartProps, colorOf, isEmpty, periodOf, type Series } from './chart-props.ts';
import { OnDemand } from './on-demand.tsx';
import { Panel } from './panel.tsx';
import { SimpleTable } from './simple-table.tsx';

const HEIGHT_PX = 220;

/** Loaded separately: the library is as large as the rest of a screen. */
const Drawing = lazy(() => import('./chart-drawing.tsx'));

/** A chart with a legend and tooltips, and the same numbers as a table. */
const Chart = (props: ChartProps) => {
  const { title, periods, series, format } = props;
  if (isEmpty(series)) return <p>No data in this period.</p>;
  return (
    <figure style={{ overflow: 'hidden' }} aria-label={title}>
      <Box mih={HEIGHT_PX}>
        <OnDemand fallback={<Skeleton height={HEIGHT_PX} />}>
          <Drawing {...props} height={HEIGHT_PX} />
        </OnDemand>
      </Box>
      <Group gap="md" justify="center" mb="xs">
        {series.map((one, at) => (
          <Group key={one.name} gap={6}>
            <ColorSwatch color={colorOf(one, at)} size={9} radius={2} withShadow={false} />
            <Text size="xs" c="dimmed">
              {one.name}
            </Text>
          </Group>
        ))}
      </Group>
      <details>
        <summary>{title} as a table</summary>
        <SimpleTable
          label={title}
          heads={['Day', ...series.map(({ name }) => name)]}
          numbers={series.map(({ name }) => name)}
          rows={periods.map((name, at) => [
            periodOf(name),
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

/** A panel with a chart of days, which one call fills. */
export const ChartPanel = <Answer, Day extends { readonly day: string }>({
  query,
  actions,
  daysOf,
  series,
  ...chart
}: Pick<ChartProps, 'title' | 'kind' | 'format'> & {
  readonly query: UseQueryResult<Answer>;
  readonly actions?: ReactNode;
  readonly daysOf: (answer: Answer) => readonly Day[];
  readonly series: readonly (readonly [
    name: string,
    color: NonNullable<Series['color']>,
    pick: (day: Day) => bigint | undefined,
  ])[];
}) => (
  <Panel title={chart.title} query={query} actions={actions}>
    {(answer) => (
      <Chart
        {...chart}
        periods={daysOf(answer).map(({ day }) => day)}
        series={series.map(([name, color, pick]) => ({
          name,
          color,
          values: numbersOf(daysOf(answer), pick),
        }))}
      />
    )}
  </Panel>
);
