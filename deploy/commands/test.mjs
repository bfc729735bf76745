import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { watchParent } from './parent-watch.mjs';
import { runProgram } from './setup/run-program.mjs';
import { superviseStack } from './stack-process.mjs';
import { onlyProjects, onRunningStack, planOf } from './test-run/plan.mjs';
import { projects } from './test-run/projects.mjs';
import { projectsWithTests, runJest } from './test-run/run-jest.mjs';
import {
  describeFailures,
  describeTotals,
  describeUntested,
  resultsFolder,
  totalsOf,
} from './test-run/totals.mjs';

/** Uses a running stack: that of `npm start`, or the one that SSS_STACK names. */
const RUNNING = '--running';

const ALL = '--all';

/** Prints the names of tests instead of running them. */
const LIST_PROMISES = '--list-promises';

/** Runs the tests that the arguments select. Resolves to the exit code. */
export async function run(machine, args) {
  if (args.includes(LIST_PROMISES)) {
    return listPromises(
      machine,
      args.filter((argument) => argument !== LIST_PROMISES),
    );
  }
  const running = args.includes(RUNNING);
  const all = args.includes(ALL);
  const { asked, jestArguments } = projectsAsked(
    args.filter((argument) => ![RUNNING, ALL].includes(argument)),
  );
  const plan = await chosen(machine, { all, running, asked, jestArguments });

  const stackFile = process.env.SSS_STACK || join(machine.root, '.run', 'stack.json');
  if (running && !existsSync(stackFile)) {
    console.error(
      `no stack is running (${stackFile} does not exist): start one with \`npm start -- --no-demo\``,
    );
    return 1;
  }
  rmSync(resultsFolder, { recursive: true, force: true });
  mkdirSync(resultsFolder, { recursive: true });

  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  watchParent(interrupt);

  const bundles = !running && plan.some(needsStack) ? await bundled(machine) : undefined;
  const sides = plan.map((side, place) =>
    runSide(machine, side, {
      stack: running
        ? runningStack(stackFile)
        : freshStack(machine, side, { bundles, signal: interruption.signal }),
      jestArguments,
      aside: place > 0,
      signal: interruption.signal,
    }),
  );
  const held = await Promise.all(sides);
  const totals = totalsOf(resultsFolder);
  const lines = [describeFailures(resultsFolder), describeUntested(resultsFolder), describeTotals(totals)];
  console.log(`\n${lines.join('')}`);
  return held.every(Boolean) && totals.failed === 0 ? 0 : 1;
}

function listPromises({ root, node, nodeFlags, env }, args) {
  const program = join(root, 'deploy/commands/test-run/list-promises.ts');
  return spawnSync(node, [...nodeFlags, program, ...args], { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

async function chosen(machine, { all, running, asked, jestArguments }) {
  const named =
    asked ?? (jestArguments.length > 0 ? await projectsWithTests(machine, jestArguments) : undefined);
  const plan = planOf({ all, named: named !== undefined });
  return onlyProjects(running ? onRunningStack(plan) : plan, named ?? Object.keys(projects));
}

/** Returns the projects of `--selectProjects`, if any, and the other arguments, for jest. */
function projectsAsked(args) {
  const at = args.indexOf('--selectProjects');
  if (at === -1) return { jestArguments: args };
  const after = args.slice(at + 1);
  const end = after.findIndex((argument) => !(argument in projects));
  const asked = end === -1 ? after : after.slice(0, end);
  return { asked, jestArguments: [...args.slice(0, at), ...after.slice(asked.length)] };
}

/** Runs the plan of one stack, and stops the stack. Resolves to whether everything passed. */
async function runSide(machine, { runs }, { stack, jestArguments, aside, signal }) {
  try {
    let held = true;
    for (const run of runs) {
      const env = await (run.needs === 'stores' ? stack.stores() : stack.whole());
      if (!env || signal.aborted) return false;
      held = (await runJest(machine, run, { env, jestArguments, aside, signal })) === 0 && held;
    }
    return held;
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
