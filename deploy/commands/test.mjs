import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { watchParent } from './parent-watch.mjs';
import { FailedStep, runProgram } from './setup/run-program.mjs';
import { superviseStack } from './stack-process.mjs';
import { changedSince, testsReachedBy } from './test-run/changed.mjs';
import { onlyProjects, onRunningStack, planOf } from './test-run/plan.mjs';
import { projects } from './test-run/projects.mjs';
import { projectsWithTests, runJest } from './test-run/run-jest.mjs';
import {
  describeFailures,
  describeTotals,
  describeUntested,
  failedFiles,
  repeatedFolder,
  resultsFolder,
  takeOver,
  totalsOf,
} from './test-run/totals.mjs';

/** Uses a running stack: that of `npm start`, or the one that SSS_STACK names. */
const RUNNING = '--running';

const ALL = '--all';

/** The exit code of jest if tests fail. */
const FAILED_TESTS = 1;

/** Runs the files that failed once more, alone, and says so of those that pass then. For CI. */
const REPEAT_FAILED = '--repeat-failed';

/** More failed files than this are no accident. */
const MOST_REPEATED = 10;

/** Runs the tests that a change can reach: that since the branch left a commit, by default `main`. */
const CHANGED = '--changed';

/** Runs what an earlier run, whose results are in the folder that follows, didn't run in full. */
const COMPLETE = '--complete';

/** Runs the tests that the arguments select. Resolves to the exit code. */
export async function run(machine, args) {
  const running = args.includes(RUNNING);
  const all = args.includes(ALL);
  const { earlier, others } = earlierRun(args);
  const selected = await onlyChanged(
    machine,
    others.filter((argument) => ![RUNNING, ALL, REPEAT_FAILED].includes(argument)),
  );
  if (!selected) return 0;
  const { asked, jestArguments } = projectsAsked(selected);
  const plan = await chosen(machine, { all, running, asked, jestArguments });

  const stackFile = process.env.SSS_STACK || join(machine.root, '.run', 'stack.json');
  if (running && !existsSync(stackFile)) {
    console.error(
      `no stack is running (${stackFile} does not exist): start one with \`npm start -- --background\``,
    );
    return 1;
  }
  rmSync(resultsFolder, { recursive: true, force: true });

  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  watchParent(interrupt);

  const test = (selected, files, folder) =>
    runPlan(machine, selected, {
      stackFile: running ? stackFile : undefined,
      jestArguments: files,
      earlier,
      folder,
      signal: interruption.signal,
    });
  let explained = await test(plan, jestArguments, resultsFolder);
  const failed = failedFiles(resultsFolder);
  if (args.includes(REPEAT_FAILED) && failed.length > 0 && failed.length <= MOST_REPEATED) {
    console.error(`\nrepeated, alone: ${failed.join(' ')}\n`);
    const again = await chosen(machine, { all, running, jestArguments: failed });
    explained = (await test(again, failed, repeatedFolder(resultsFolder))) && explained;
  }
  // After the repetition, which would hide what failed earlier.
  if (earlier) takeOver(earlier, resultsFolder, namesOf(plan));
  const totals = totalsOf(resultsFolder);
  const lines = [describeFailures(resultsFolder), describeUntested(resultsFolder), describeTotals(totals)];
  console.log(`\n${lines.join('')}`);
  return explained && totals.failed === 0 ? 0 : 1;
}

/**
 * Runs the sides of a plan at the same time and writes their results into a folder. Resolves to false if it was
 * interrupted, or if a run failed without the failure of a test.
 */
async function runPlan(machine, plan, { stackFile, jestArguments, earlier, folder, signal }) {
  mkdirSync(folder, { recursive: true });
  const bundles = !stackFile && plan.some(needsStack) ? await bundled(machine) : undefined;
  const sides = plan.map((side, place) =>
    runSide(machine, side, {
      stack: stackFile ? runningStack(stackFile) : freshStack(machine, side, { bundles, signal }),
      jestArguments,
      earlier,
      folder,
      aside: place > 0,
      signal,
    }),
  );
  return (await Promise.all(sides)).every(Boolean);
}

/** Replaces `--changed` by the tests that the change reaches; undefined if it reaches none. */
async function onlyChanged(machine, args) {
  const at = args.indexOf(CHANGED);
  if (at === -1) return args;
  const [after, ...rest] = args.slice(at + 1);
  const named = after !== undefined && !after.startsWith('-');
  const ref = named ? after : 'main';
  const files = await changedSince(ref);
  const { tests, line } = await testsReachedBy(machine, files);
  console.log(
    `changed since ${ref}: ${files.length} ${files.length === 1 ? 'file' : 'files'}, which can affect ${line}`,
  );
  if (tests.length === 0) return undefined;
  return [
    ...args.slice(0, at),
    ...(named || after === undefined ? rest : [after, ...rest]),
    '--runTestsByPath',
    ...tests,
  ];
}

async function chosen(machine, { all, running, asked, jestArguments }) {
  const named =
    asked ?? (jestArguments.length > 0 ? await projectsWithTests(machine, jestArguments) : undefined);
  const plan = planOf({ all, named: named !== undefined });
  return onlyProjects(running ? onRunningStack(plan) : plan, named ?? Object.keys(projects));
}

/** Returns the folder after `--complete`, if any, and the other arguments. */
function earlierRun(args) {
  const at = args.indexOf(COMPLETE);
  if (at === -1) return { others: args };
  const folder = args[at + 1];
  if (folder === undefined) throw new FailedStep(`${COMPLETE} needs the folder of an earlier run's results`);
  return { earlier: resolve(folder), others: args.toSpliced(at, 2) };
}

const namesOf = (plan) => plan.flatMap(({ runs }) => runs).map(({ name }) => name);

/** Returns the projects of `--selectProjects`, if any, and the other arguments, for jest. */
function projectsAsked(args) {
  const at = args.indexOf('--selectProjects');
  if (at === -1) return { jestArguments: args };
  const after = args.slice(at + 1);
  const end = after.findIndex((argument) => !(argument in projects));
  const asked = end === -1 ? after : after.slice(0, end);
  return { asked, jestArguments: [...args.slice(0, at), ...after.slice(asked.length)] };
}

async function runSide(machine, { runs }, { stack, aside, signal, ...files }) {
  try {
    let explained = true;
    for (const run of runs) {
      const env = await (run.needs === 'stores' ? stack.stores() : stack.whole());
      if (!env || signal.aborted) return false;
      const code = await runJest(machine, run, { env, aside, signal, ...files });
      const isExplained = code === FAILED_TESTS && failedFiles(files.folder, run.name).length > 0;
      explained = (code === 0 || isExplained) && explained;
    }
    return explained;
  } finally {
    await stack.stop();
  }
}

const needsStack = ({ runs }) => runs.some(({ needs }) => needs === 'stack');

/**
 * Bundles all images once, because a process starts from a bundle in half the time, and a run starts hundreds of
 * services and `sss` commands. Resolves to the bundles' folder.
 */
async function bundled({ root, node, nodeFlags, env }) {
  const folder = join(root, '.run', 'test', 'bundles');
  const args = [...nodeFlags, join(root, 'deploy/images/bundle-command.ts'), '--out', folder];
  await runProgram('cannot bundle the services', node, args, { cwd: root, env });
  return folder;
}

/** Provides a stack's details to tests: first its stores, then, once everything is ready, its description. */
function freshStack(machine, { name, flags, runs }, { bundles, signal }) {
  const state = join('.run', 'test', name);
  const extent = needsStack({ runs }) ? ['--bundles', bundles] : ['--stores-only'];
  const stack = superviseStack(machine, ['--state', state, '--fresh', '--no-demo', ...extent, ...flags], {
    detached: true,
  });
  signal.addEventListener('abort', stack.stop);
  return {
    stores: () => stack.stores.then((stores) => stores && storesOf(stores)),
    whole: () =>
      stack.ready.then((stackFile) =>
        // An interrupted stack removes the file.
        stackFile && !signal.aborted ? { ...environmentOf(stackFile), TEST_BUNDLES: bundles } : undefined,
      ),
    async stop() {
      stack.stop();
      await stack.ended;
    },
  };
}

function runningStack(stackFile) {
  const environment = environmentOf(stackFile);
  return { stores: () => environment, whole: () => environment, stop() {} };
}

const environmentOf = (stackFile) => ({
  STACK_FILE: stackFile,
  ...storesOf(JSON.parse(readFileSync(stackFile, 'utf8'))),
});

/** PostgreSQL and NATS, in which a unit or service test may create its own databases and streams. */
const storesOf = ({ postgres, nats }) => ({ TEST_POSTGRES_URL: postgres, TEST_NATS_URL: nats });
