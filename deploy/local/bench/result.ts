/** One line of a result. */
export interface Measure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What it should be: at least, or at most, so much. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
}

export interface BenchResult {
  readonly benchmark: string;
  /** What was set and what it ran on, for whoever compares two results. */
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly measures: readonly Measure[];
  /** What the measures were made of, where a benchmark says. */
  readonly detail?: object;
  /** Why the measurement ended before its time; what was measured until then is there. */
  readonly stopped?: string;
}

/** True unless there is a target and the value misses it. */
export function isMet({ value, target }: Measure): boolean {
  if (!target) return true;
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

/** The result as a table for people. */
export function describeResult({ benchmark, conditions, measures, stopped }: BenchResult): string {
  const widest = Math.max(0, ...measures.map(({ what }) => what.length));
  const lines = measures.map((measure) => {
    const amount = `${formatNumber(measure.value)} ${measure.unit}`.padEnd(22);
    return `  ${measure.what.padEnd(widest)}  ${amount}${describeTarget(measure)}`.trimEnd();
  });
  const setting = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  return [
    `${benchmark} (${setting.join(', ')})`,
    ...lines,
    ...(stopped ? [`ended early: ${stopped}`] : []),
  ].join('\n');
}

function describeTarget(measure: Measure): string {
  const { target } = measure;
  if (!target) return '';
  const wanted =
    'atLeast' in target ? `≥ ${formatNumber(target.atLeast)}` : `≤ ${formatNumber(target.atMost)}`;
  return `target ${wanted}: ${isMet(measure) ? 'met' : 'MISSED'}`;
}

function formatNumber(value: number): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 2;
  return value.toLocaleString('en-GB', { minimumFractionDigits: 0, maximumFractionDigits: digits });
}
