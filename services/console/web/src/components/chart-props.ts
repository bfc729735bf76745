/** One quantity over the periods of a chart. */
export interface Series {
  readonly name: string;
  readonly color?: 'green' | 'gray' | 'amber' | 'red' | 'blue';
  /** One value for each period, or null for none. */
  readonly values: readonly (number | null)[];
}

/** Each differs from the page in both schemes. */
export const COLORS = {
  green: '#2f9e66',
  amber: '#c28414',
  gray: '#838e9a',
  red: '#d1453b',
  blue: '#4a7ae3',
} as const;
const ORDER = ['green', 'amber', 'gray', 'red', 'blue'] as const;

/** Returns the colour of the series at an index. */
export const colorOf = ({ color }: Series, at: number): string => COLORS[color ?? ORDER[at] ?? 'blue'];

export interface ChartProps {
  readonly title: string;
  readonly periods: readonly string[];
  /** At most five. When stacked, the first is at the bottom. */
  readonly series: readonly Series[];
  readonly kind: 'stacked' | 'lines';
  readonly format: (value: number) => string;
}

/** Returns the height of a stack in each period. An empty one is not drawn. */
export const stackOf = (series: readonly Series[]): (number | null)[] =>
  (series[0]?.values ?? []).map(
    (_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0) || null,
  );

const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Returns the name of a day or month, marked if it isn't over: "2026-11-28 so far". */
export const periodOf = (period: string, now = new Date()): string =>
  period !== '' && now.toISOString().startsWith(period) ? `${period} so far` : period;

/** Formats "2026-11-25" as "25 Nov", and the present day as "Today". Leaves months as they are. */
export function dayOf(period: string, now = new Date()): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(period)) return periodOf(period, now);
  return now.toISOString().startsWith(period) ? 'Today' : short.format(new Date(period));
}

/** Returns the indices of the periods that have a label: the last one, and those `step` apart before it. */
export const labelledOf = (count: number, step: number): number[] =>
  Array.from({ length: Math.ceil(count / step) }, (_, before) => count - 1 - before * step).reverse();

/** Returns whether no period has anything to draw. */
export const isEmpty = (series: readonly Series[]): boolean =>
  series.every(({ values }) => values.every((value) => !value));
