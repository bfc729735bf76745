import type { Measure } from '../benchmark.ts';
import { type PerProcess, sumOf } from '../usage.ts';
import type { Latencies, LoadReport } from './load-generator.ts';

/** Returns the measures of a run at full speed. */
export function closedMeasures(what: string, report: LoadReport & { cpuMs?: PerProcess }): Measure[] {
  return [
    { what, value: report.answered / report.seconds, unit: '/s' },
    { what: `${what}: p99`, value: report.latencies.p99, unit: 'ms' },
    ...(report.cpuMs ? [{ what: `${what}: CPU for each`, value: sumOf(report.cpuMs), unit: 'ms' }] : []),
    ...refusals(what, report.refused),
  ];
}

/** Returns one line per latency percentile; `most` has targets. */
export function latencyMeasures(
  what: string,
  { p50, p99, p999 }: Latencies,
  most?: { p50?: number; p99?: number },
): Measure[] {
  const line = (name: string, value: number, atMost?: number): Measure => ({
    what: `${what}, ${name}`,
    value,
    unit: 'ms',
    ...(atMost === undefined ? {} : { target: { atMost } }),
  });
  return [line('p50', p50, most?.p50), line('p99', p99, most?.p99), line('p99.9', p999)];
}

/** Returns the unexpected responses, by kind. */
export const refusals = (what: string, refused: Readonly<Record<string, number>>): Measure[] =>
  Object.entries(refused).map(([reason, value]) => ({
    what: `${what}: answered ${reason}`,
    value,
    unit: '',
  }));

export const ratio = (what: string, part: number, whole: number, atLeast?: number): Measure => ({
  what,
  value: part / whole,
  unit: '',
  ...(atLeast === undefined ? {} : { target: { atLeast } }),
});
