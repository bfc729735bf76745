import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';
import type { Workbench } from './workbench.ts';

/** One measurement of the real processes on this machine. */
export interface Benchmark {
  readonly summary: string;
  run(bench: Workbench, options: BenchOptions): Promise<Omit<BenchResult, 'benchmark'>>;
}
