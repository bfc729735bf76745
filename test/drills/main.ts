// Drills of failures and upgrades that operators must handle, with real processes on this machine. Started by
// bootstrap.mjs. Progress goes to stderr, the result to stdout.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listenForStop } from '../../deploy/local/stop-request.ts';
import { CannotStart, reasonOf } from '../../deploy/local/terminal.ts';
import { runFaults } from './faults/faults.ts';
import { describePlanted, type PlantedResult, runPlanted } from './faults/planted/run-planted.ts';
import { allHeld, describeDrill, type Findings, findings } from './findings.ts';
import { type DrillOptions, readDrillOptions } from './options.ts';
import { restore } from './restore/restore.ts';
import { onStage, type Stage } from './stage.ts';
import { upgrade } from './upgrade/upgrade.ts';

/** sysexits.h: wrong usage. */
const EXIT_USAGE = 64;

/** The drills, by name. */
const drills: Readonly<
  Record<string, (stage: Stage, options: DrillOptions, out: Findings) => Promise<void>>
> = {
  restore: (stage, { short }, out) => restore(stage, short, out),
  upgrade: (stage, { short }, out) => upgrade(stage, short, out),
  faults: runFaults,
};

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const began = performance.now();
const progress = (line: string) =>
  void process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);

process.exitCode = await main(process.argv.slice(2));
// Client connections may still be open, but there is nothing left to wait for.
process.exit();

async function main(args: readonly string[]): Promise<number> {
  const options = readOrExplain(args);
  const drill = drills[options?.name ?? ''];
  if (!options || !drill) return EXIT_USAGE;
  const out = findings(progress);
  const { asked } = listenForStop();
  const place = { checkout, folder: resolve(checkout, options.state), secure: options.secure };
  const perform = <Result>(work: (stage: Stage) => Promise<Result>) =>
    onStage(place, progress, (stage) => Promise.race([work(stage), stopped(asked)]));
  if (options.planted) return plantBugs(options, options.planted, perform);
  try {
    await perform((stage) => drill(stage, options, out));
  } catch (error) {
    out.found('the drill completes', false, reasonOf(error));
  }
  const result = out.result(options.name);
  const held = allHeld(result);
  console.log(options.json ? JSON.stringify({ ...result, held }, undefined, 2) : describeDrill(result));
  return held ? 0 : 1;
}

/** Checks that the rules of the fault drill report planted bugs. */
async function plantBugs(
  { seed, json }: DrillOptions,
  names: readonly string[],
  perform: (work: (stage: Stage) => Promise<PlantedResult[]>) => Promise<PlantedResult[]>,
): Promise<number> {
  try {
    const results = await perform((stage) => runPlanted(stage, seed, names));
    console.log(json ? JSON.stringify(results, undefined, 2) : describePlanted(results));
    return results.every(({ isSeen }) => isSeen) ? 0 : 1;
  } catch (error) {
    progress(reasonOf(error));
    return 1;
  }
}

/** Rejects when the drill is asked to stop. */
function stopped(asked: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    asked.addEventListener('abort', () => reject(new CannotStart('stopped')), { once: true });
  });
}

function readOrExplain(args: readonly string[]): DrillOptions | undefined {
  try {
    return readDrillOptions(args, Object.keys(drills));
  } catch (error) {
    progress(reasonOf(error));
    return undefined;
  }
}
