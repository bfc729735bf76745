import { Box, Paper, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { type ChartProps, colorOf, dayOf, labelledOf, stackOf } from './chart-props.ts';

/** Distances between ticks, so that counts have whole ones. */
const WHOLE = [1, 2, 5].flatMap((step) => Array.from({ length: 8 }, (_, power) => step * 10 ** power));
const ALL = WHOLE.toSorted((a, b) => a - b);
const DAYS = [1, 2, 5, 7, 10, 15, 30];

interface DrawingProps extends ChartProps {
  readonly height: number;
}

/** The values of the period under the pointer, and where they are shown. */
interface Tip {
  readonly text: string;
  readonly left: number;
  readonly isLeft: boolean;
}

/** Draws a chart. A tooltip has the values of the period under the pointer. */
export default function ChartDrawing(props: DrawingProps) {
  const { title, periods, series, kind } = props;
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const [tip, setTip] = useState<Tip>();
  // The drawn data as a string, so that a refetch with the same data doesn't redraw.
  const drawn = JSON.stringify([periods, series, kind, scheme]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: all that is drawn is in `drawn`.
  useEffect(() => (place.current ? draw(place.current, props, setTip) : undefined), [drawn]);
  return (
    <Box role="img" aria-label={title} pos="relative" style={{ contain: 'inline-size' }}>
      <div ref={place} />
      {tip ? (
        <Paper className="chart-tooltip" withBorder px={10} py={6} fz="xs" {...tipPlace(tip)}>
          {tip.text}
        </Paper>
      ) : null}
    </Box>
  );
}

const tipPlace = ({ left, isLeft }: Tip) =>
  ({
    pos: 'absolute',
    top: 8,
    left,
    style: {
      zIndex: 1,
      whiteSpace: 'pre',
      pointerEvents: 'none',
      ...(isLeft ? { transform: 'translateX(-100%)' } : {}),
    },
  }) as const;

/** Draws the chart, and resizes it with its container. Returns a function that removes it. */
function draw(
  place: HTMLElement,
  { periods, series, kind, format, height }: DrawingProps,
  onTip: (tip: Tip | undefined) => void,
): () => void {
  const isStacked = kind === 'stacked';
  const ink = getComputedStyle(place).color;
  const bars = UPlot.paths.bars?.({ size: [0.7, 24] });
  // Draw the highest stack first, and the lower ones over it.
  const layers = series
    .map((one, at) => ({
      color: colorOf(one, at),
      drawn: isStacked ? stackOf(series.slice(0, at + 1)) : [...one.values],
    }))
    .reverse();
  const tipAt = ({ cursor: { idx, left = 0 }, over }: Pick<UPlot, 'cursor' | 'over'>): Tip | undefined => {
    if (idx == null || left < 0) return undefined;
    const lines = series.flatMap(({ name, values }) => {
      const value = values[idx] ?? null;
      return value === null ? [] : [`${name}: ${format(value)}`];
    });
    const isLeft = left > over.clientWidth / 2;
    return {
      text: [dayOf(periods[idx] ?? ''), ...lines].join('\n'),
      left: over.offsetLeft + left + (isLeft ? -12 : 12),
      isLeft,
    };
  };
  const axis = { stroke: ink, grid: { stroke: ink, width: 0.1 }, ticks: { show: false } };
  const chart = new UPlot(
    {
      width: place.clientWidth,
      height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: !isStacked } },
      hooks: { setCursor: [(at) => onTip(tipAt(at))] },
      scales: {
        x: { time: false, range: [-0.6, periods.length - 0.4] },
        y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.05 : 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          incrs: DAYS,
          splits: (_chart, _axis, _first, _last, step) => labelledOf(periods.length, step),
          values: (_chart, at) => at.map((n) => dayOf(periods[n] ?? '')),
        },
        {
          ...axis,
          size: (_chart, values) => widthOf(values),
          incrs: ALL,
          values: (_chart, at) => at.map(format),
        },
      ],
      series: [
        {},
        ...layers.map(({ color }) => ({
          stroke: color,
          ...(isStacked ? { fill: color, ...(bars ? { paths: bars } : {}) } : { width: 2 }),
          points: { show: !isStacked },
        })),
      ],
    },
    [periods.map((_, at) => at), ...layers.map((layer) => layer.drawn)],
    place,
  );
  const watcher = new ResizeObserver(() => {
    const width = place.clientWidth;
    // It is also called at the beginning, when another drawing would double the work.
    if (width !== chart.width) chart.setSize({ width, height });
  });
  watcher.observe(place);
  return () => {
    watcher.disconnect();
    chart.destroy();
    onTip(undefined);
  };
}

const LETTER_PX = 7.5;
const MARGIN_PX = 16;

/** Returns a width in pixels for the longest value on an axis. */
const widthOf = (values: readonly string[] | null): number =>
  MARGIN_PX + LETTER_PX * Math.max(5, ...(values ?? []).map((value) => value.length));
