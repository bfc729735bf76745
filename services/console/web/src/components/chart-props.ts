/** One quantity over the periods of a chart. */
export interface Series {
  readonly name: string;
  readonly color?: 'green' | 'gray' | 'amber' | 'red' | 'blue';
  /** One value for each period, or null for none. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** Name of the table's first column: "Day". */
  readonly period: string;
  readonly periods: readonly string[];
  /** At most five. When stacked, the first is at the bottom. */
  readonly series: readonly Series[];
  readonly kind: 'stacked' | 'lines';
  readonly format: (value: number) => string;
  /** Whether a title above the chart would repeat that of its panel. */
  readonly isUntitled?: boolean;
}
