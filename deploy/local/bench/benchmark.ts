import type { CodeSource } from '../options.ts';
import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';
import type { Workbench } from './workbench.ts';

/** One measurement of the real processes on this machine. */
export interface Benchmark {
  readonly summary: string;
  /** What services run from where it is not their sources. */
  readonly from?: CodeSource;
  run(bench: Workbench, options: BenchOptions): Promise<Measured>;
}

export interface Measured extends Omit<BenchResult, 'benchmark'> {
  /** Makes a page of HTML of the result, which needs no other file and no network. */
  readonly page?: (result: BenchResult) => string;
}
