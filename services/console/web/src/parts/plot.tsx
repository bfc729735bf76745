import { useEffect, useRef, useSyncExternalStore } from 'react';
import UPlot from 'uplot';
import { ScrollingTable } from './scrolling-table.tsx';

const HEIGHT_PX = 220;

/** One quantity over the periods of a plot. */
export interface Series {
  readonly name: string;
  /** One value for each period, or null for none. */
  readonly values: readonly (number | null)[];
}

interface PlotProps {
  readonly title: string;
  /** Name of the table's first column: "day". */
  readonly period: string;
  readonly periods: readonly string[];
  /** At most five. When stacked, the first is at the bottom. */
  readonly series: readonly Series[];
  readonly kind: 'stacked' | 'lines';
  readonly format: (value: number) => string;
}

/** A plot, its legend, and the same numbers as a table. */
export function Plot({ title, period, periods, series, kind, format }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const isDark = useSyncExternalStore(watchDark, () => dark.matches);
  // The plotted data as a string, so that a refetch with the same data doesn't redraw.
  const drawn = JSON.stringify([periods, series, kind, isDark]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: all that is drawn is in `drawn`.
  useEffect(() => {
    if (!place.current || !legend.current) return;
    const colours = [...legend.current.children].map((item) => getComputedStyle(item).borderLeftColor);
    return draw(place.current, {
      periods,
      series,
      kind,
      format,
      colours,
      ink: getComputedStyle(place.current).color,
    });
  }, [drawn]);
  return (
    <figure className="plot">
      <figcaption>
        <h3>{title}</h3>
        <ul className="legend" ref={legend}>
          {series.map(({ name }) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      </figcaption>
      <div className="drawing" ref={place} role="img" aria-label={`${title}; its numbers are below`} />
      <details>
        <summary>The numbers of: {title}</summary>
        <ScrollingTable
          label={title}
          heads={[period, ...series.map(({ name }) => name)]}
          rows={periods.map((name, at) => [
            name,
            ...series.map(({ values }) => {
              const value = values[at] ?? null;
              return value === null ? 'none' : format(value);
            }),
          ])}
        />
      </details>
    </figure>
  );
}

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const watchDark = (watcher: () => void) => {
  dark.addEventListener('change', watcher);
  return () => dark.removeEventListener('change', watcher);
};

interface Drawing extends Pick<PlotProps, 'periods' | 'series' | 'kind' | 'format'> {
  readonly colours: readonly string[];
  readonly ink: string;
}

/** Draws the plot, and resizes it with its container. Returns a function that removes it. */
function draw(place: HTMLElement, { periods, series, kind, format, colours, ink }: Drawing): () => void {
  const isStacked = kind === 'stacked';
  const bars = UPlot.paths.bars?.({ size: [0.7, 60] });
  // Draw the highest stack first, and the lower ones over it.
  const shown = series
    .map((_, at) => ({ values: isStacked ? piled(series.slice(0, at + 1)) : (series[at]?.values ?? []), at }))
    .reverse();
  const axis = { stroke: ink, grid: { stroke: ink, width: 0.1 }, ticks: { stroke: ink, width: 0.3 } };
  const plot = new UPlot(
    {
      width: place.clientWidth,
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [-0.6, periods.length - 0.4] },
        y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.05 : 1] },
      },
      axes: [
        {
          ...axis,
          incrs: [1, 2, 5, 7, 10, 15, 30],
          values: (_plot, at) => at.map((n) => (periods[n] ?? '').slice(5)),
        },
        { ...axis, size: 80, values: (_plot, at) => at.map(format) },
      ],
      series: [
        {},
        ...shown.map(({ at }) => ({
          stroke: colours[at] ?? ink,
          ...(isStacked ? { fill: colours[at] ?? ink, ...(bars ? { paths: bars } : {}) } : { width: 2 }),
          points: { show: !isStacked },
        })),
      ],
    },
    [periods.map((_, at) => at), ...shown.map(({ values }) => [...values])],
    place,
  );
  const watcher = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT_PX }));
  watcher.observe(place);
  return () => {
    watcher.disconnect();
    plot.destroy();
  };
}

const piled = (series: readonly Series[]): number[] =>
  (series[0]?.values ?? []).map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
