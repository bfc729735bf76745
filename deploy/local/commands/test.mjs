import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { resultsFolder } from '../test-run/results-folder.mjs';
import { runJest } from '../test-run/run-jest.mjs';
import { stackEnvironment } from '../test-run/stack-environment.mjs';
import { failedFiles, totalsOf } from '../test-run/totals.mjs';
import { watchParent } from './parent-watch.mjs';
import { superviseStack } from './stack-process.mjs';

/** In this order: a broken unit explains a broken contract, and faults leave scars on the stack. */
const PROJECTS = ['unit', 'contract', 'faults'];

/** Says that the tests are to run against the stack that `npm start` runs, which saves starting one. */
const RUNNING = '--running';

/** Says that the stack is to be one whose parts talk to each other over TLS. */
const SECURE = '--secure';

/** Says that files which failed are to run once more, one after the other, before the run is taken for failed. */
const SECOND_TRY = '--second-try';

/** More failures than these are no accident of a busy machine. */
const TRIED_AGAIN = 10;

/** Says that its services are to run from bundles. */
const BUNDLED = '--bundled';

/**
 * Starts a fresh stack, or takes the one that runs, runs the jest projects against it one after the other, stops it.
 * Resolves to 0 when every project passed.
 */
export async function run(machine, args) {
  const [running, secure] = [args.includes(RUNNING), args.includes(SECURE)];
  const tries = args.includes(SECOND_TRY) ? 2 : 1;
  const stackFlags = args.filter((argument) => argument === SECURE || argument === BUNDLED);
  const { projects, jestArguments } = projectsIn(
    args.filter((argument) => ![RUNNING, SECOND_TRY, ...stackFlags].includes(argument)),
  );
  if (tries > 1 && jestArguments.length > 0) {
    console.error(`${SECOND_TRY} is for whole projects: leave out ${jestArguments.join(' ')}`);
    return 1;
  }
  if (running && stackFlags.length > 0) {
    console.error(`the stack that runs is as it was started: give ${stackFlags} to \`npm start\``);
    return 1;
  }
  const results = resultsFolder({ secure });
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });

  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  watchParent(interrupt);

  if (running) {
    const stackFile = join(machine.root, '.run', 'stack.json');
    if (!existsSync(stackFile)) {
      console.error('no stack is running: start one with `npm start -- --no-demo`');
      return 1;
    }
    // Faults end processes of the stack: they get one of their own.
    const harmless = projects.filter((project) => project !== 'faults');
    return report(
      { machine, stackFile, results, projects: harmless, jestArguments, tries },
      interruption.signal,
    );
  }
  const state = join('.run', 'test');
  const flags = ['--state', state, '--fresh', '--no-demo', '--traced', ...stackFlags];
  const stack = superviseStack(machine, flags, { detached: true });
  interruption.signal.addEventListener('abort', stack.stop);
  try {
    const stackFile = await stack.ready;
    if (!stackFile) return 1;
    return await report({ machine, stackFile, results, projects, jestArguments, tries }, interruption.signal);
  } finally {
    stack.stop();
    await stack.ended;
  }
}

/** The projects that `--selectProjects` names, all of them without it, and what is left for jest. */
function projectsIn(args) {
  const at = args.indexOf('--selectProjects');
  if (at === -1) return { projects: PROJECTS, jestArguments: args };
  const after = args.slice(at + 1);
  const end = after.findIndex((argument) => !PROJECTS.includes(argument));
  const chosen = end === -1 ? after : after.slice(0, end);
  const jestArguments = [...args.slice(0, at), ...after.slice(chosen.length)];
  return { projects: PROJECTS.filter((project) => chosen.includes(project)), jestArguments };
}

/** Runs the projects against a stack and prints the totals. Resolves to the exit code. */
async function report({ machine, stackFile, ...run }, signal) {
  const env = { ...machine.env, ...stackEnvironment(stackFile) };
  const failed = await runProjects({ ...machine, env }, run, signal);
  const { passed, failed: broken, skipped } = totalsOf(run.results);
  console.log(`\n${passed} passed, ${broken} failed, ${skipped} skipped`);
  return failed || broken > 0 ? 1 : 0;
}

async function runProjects(machine, { results, projects, jestArguments, tries }, signal) {
  let failed = false;
  for (const project of projects) {
    if (signal.aborted) return true;
    const outputFile = join(results, `${project}.json`);
    const code = await runJest(machine, project, outputFile, jestArguments, signal);
    const toRepeat = tries > 1 && code !== 0 && !signal.aborted ? failedFiles(outputFile) : [];
    failed ||= code !== 0 && !(await passAlone(machine, project, results, toRepeat, signal));
  }
  return failed;
}

/** Whether the files, of which there are some and not many, pass when nothing else runs beside them. */
async function passAlone(machine, project, results, files, signal) {
  if (files.length === 0 || files.length > TRIED_AGAIN) return false;
  const named = files.map((file) => `  ${relative(machine.root, file)}`).join('\n');
  console.log(`\nfailed once, and run again one after the other:\n${named}`);
  const outputFile = join(results, `${project}.second-try.json`);
  const code = await runJest(
    machine,
    project,
    outputFile,
    ['--runInBand', '--runTestsByPath', ...files],
    signal,
  );
  if (code === 0) console.log(`\npassed at the second try only, which somebody should look into:\n${named}`);
  return code === 0;
}
