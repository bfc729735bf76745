import type { Bench } from './bench.ts';
import type { BenchOptions } from './options.ts';

/** One line of a result. */
export interface Measure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The target, as a lower or an upper bound. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
}

/** One measurement of the real processes on this machine. */
export interface Benchmark {
  readonly summary: string;
  /** Passes each figure to `add` as soon as it is known, so that a run that fails later keeps it. */
  run(bench: Bench, options: BenchOptions, add: (...measures: Measure[]) => void): Promise<void>;
}

/** Figures that follow from earlier measurements, without a stack. */
export interface Calculation {
  readonly summary: string;
  calculate(options: BenchOptions): Measure[];
}

export interface BenchResult {
  readonly benchmark: string;
  /** The settings and the environment, to compare two results by. */
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly measures: readonly Measure[];
  /** Why the measurement ended early. */
  readonly stopped?: string;
}

/** Returns true unless there is a target and the value misses it. */
export function isMet({ value, target }: Measure): boolean {
  if (!target) return true;
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

/** Formats the result as a table for people. */
export function describeResult({ benchmark, conditions, measures, stopped }: BenchResult): string {
  const widest = Math.max(0, ...measures.map(({ what }) => what.length));
  const setting = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  return [
    `${benchmark} (${setting.join(', ')})`,
    ...measures.map((measure) => {
      const amount = `${formatNumber(measure.value)} ${measure.unit}`.padEnd(22);
      return `  ${measure.what.padEnd(widest)}  ${amount}${describeTarget(measure)}`.trimEnd();
    }),
    ...(stopped === undefined ? [] : [`stopped early: ${stopped}`]),
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
