// Measures the real processes on this machine. Started by bootstrap.mjs. Progress goes to stderr, the result to stdout.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listenForStop } from '../stop-request.ts';
import { CannotStart, reasonOf } from '../terminal.ts';
import { benchmarks, describeBenchmarks } from './benchmarks.ts';
import { type BenchOptions, readBenchOptions } from './options.ts';
import { type BenchResult, describeResult, isMet } from './result.ts';
import { atWorkbench } from './workbench.ts';

/** sysexits.h: wrong usage. */
const EXIT_USAGE = 64;

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const progress = (line: string) => void process.stderr.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2));
// Nothing is left to wait for.
process.exit();

async function main(args: readonly string[]): Promise<number> {
  const options = readOrExplain(args);
  if (!options) return EXIT_USAGE;
  const { name } = options;
  if (name === undefined) {
    console.log(describeBenchmarks());
    return 0;
  }
  const benchmark = benchmarks[name];
  if (!benchmark) {
    progress(`there is no benchmark ${name}; there are\n${describeBenchmarks()}`);
    return EXIT_USAGE;
  }
  try {
    const { secure, tracedShare, state } = options;
    const from = benchmark.from ?? 'sources';
    const place = { checkout, folder: resolve(checkout, state), secure, tracedShare, from };
    const { asked } = listenForStop();
    const measured = await atWorkbench(place, progress, (bench) =>
      Promise.race([benchmark.run(bench, options), stopped(asked)]),
    );
    const { page, ...rest } = measured;
    const machine = { cores: availableParallelism(), node: process.versions.node };
    const result = { benchmark: name, ...rest, conditions: { ...machine, ...rest.conditions } };
    if (page) writeReports(result, page(result), resolve(checkout, options.out));
    return report(result, options);
  } catch (error) {
    progress(reasonOf(error));
    return 1;
  }
}

/** Rejects when somebody wants the measurement to end. */
function stopped(asked: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    asked.addEventListener('abort', () => reject(new CannotStart('stopped')), { once: true });
  });
}

function writeReports(result: BenchResult, page: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const file = (extension: string) => join(folder, `bench-${result.benchmark}.${extension}`);
  writeFileSync(file('json'), `${JSON.stringify(result)}\n`);
  writeFileSync(file('html'), page);
  progress(`written: ${file('json')} and ${file('html')}`);
}

function report(result: BenchResult, { json, check }: BenchOptions): number {
  console.log(json ? JSON.stringify(result, undefined, 2) : describeResult(result));
  if (result.stopped !== undefined) return 1;
  return check && !result.measures.every(isMet) ? 1 : 0;
}

function readOrExplain(args: readonly string[]): BenchOptions | undefined {
  try {
    return readBenchOptions(args);
  } catch (error) {
    progress(reasonOf(error));
    return undefined;
  }
}
