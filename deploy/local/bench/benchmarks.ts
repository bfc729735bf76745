import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';
import { webhookDelivery } from './webhook-delivery.ts';
import { webhookFairness } from './webhook-fairness.ts';
import type { Workbench } from './workbench.ts';

/** One measurement of the real processes on this machine. */
export interface Benchmark {
  readonly summary: string;
  run(bench: Workbench, options: BenchOptions): Promise<Omit<BenchResult, 'benchmark'>>;
}

/** What can be measured, by name. */
export const benchmarks: Readonly<Record<string, Benchmark>> = {
  'webhook-delivery': webhookDelivery,
  'webhook-fairness': webhookFairness,
};

/** One line per benchmark. */
export function describeBenchmarks(): string {
  return Object.entries(benchmarks)
    .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`)
    .join('\n');
}
