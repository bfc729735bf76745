// Measures the real processes on this machine. Started by bootstrap.mjs. Progress goes to stderr, the result to stdout.
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listenForStop } from '../../deploy/local/stop-request.ts';
import { reasonOf } from '../../deploy/local/terminal.ts';
import { withStack } from './bench.ts';
import { type Benchmark, type Calculation, describeResult, isMet, type Measure } from './benchmark.ts';
import { consoleInBrowser } from './console.ts';
import { deliveries } from './deliveries.ts';
import { finding } from './finding/finding.ts';
import { leads } from './leads/leads.ts';
import { type BenchOptions, readBenchOptions } from './options.ts';
import { scale } from './scale/scale.ts';

/** sysexits.h: wrong usage. */
const EXIT_USAGE = 64;

/** The benchmarks, by name. */
const benchmarks: Readonly<Record<string, Benchmark | Calculation>> = {
  console: consoleInBrowser,
  deliveries,
  finding,
  leads,
  scale,
};

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const progress = (line: string) => void process.stderr.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2));
// Nothing is left to wait for.
process.exit();

async function main(args: readonly string[]): Promise<number> {
  const list = Object.entries(benchmarks)
    .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
    .join('\n');
  try {
    const options = readBenchOptions(args);
    if (options.name === undefined) {
      console.log(list);
      return 0;
    }
    const benchmark = benchmarks[options.name];
    if (benchmark) return await measure(options.name, benchmark, options);
    progress(`unknown benchmark ${options.name}; choose one of\n${list}`);
  } catch (error) {
    progress(reasonOf(error));
  }
  return EXIT_USAGE;
}

/** Prints the measurements, even after a failure. Resolves to the exit code. */
async function measure(
  name: string,
  benchmark: Benchmark | Calculation,
  options: BenchOptions,
): Promise<number> {
  const { asked } = listenForStop();
  const stopped = new Promise<never>((_resolve, reject) => {
    asked.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
  const measures: Measure[] = [];
  let failure: { stopped: string } | undefined;
  try {
    if ('calculate' in benchmark) measures.push(...benchmark.calculate(options));
    else
      await withStack({ ...options, checkout, folder: resolve(checkout, options.state) }, progress, (bench) =>
        Promise.race([benchmark.run(bench, options, (...more) => measures.push(...more)), stopped]),
      );
  } catch (error) {
    failure = { stopped: reasonOf(error) };
  }
  const conditions = { cores: availableParallelism(), node: process.versions.node, rows: options.rows };
  const result = { benchmark: name, conditions, measures, ...failure };
  console.log(options.json ? JSON.stringify(result, undefined, 2) : describeResult(result));
  return failure || (options.check && !measures.every(isMet)) ? 1 : 0;
}
