import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { projects } from './projects.mjs';

/** A module that jest asks which files to run. */
const UNFINISHED = 'deploy/commands/test-run/unfinished.mjs';
const LARGEST_LIST = 4 << 20;
const LAST_WORDS_MS = 5_000;
const ENDED_BY_SIGNAL = 128;

/**
 * Runs some projects and writes their results into a folder, under the name of the run. With `earlier`, leaves out what
 * is finished there. With `aside`, prints the output at the end, because another run is printing. Resolves to jest's exit
 * code.
 */
export async function runJest(machine, run, { env, jestArguments, earlier, folder, aside, signal }) {
  const log = join(folder, `${run.name}.log`);
  const output = aside ? openSync(log, 'w') : 'inherit';
  const args = [
    ...jest(machine),
    '--selectProjects',
    ...run.projects,
    '--passWithNoTests',
    ...(earlier ? ['--filter', join(machine.root, UNFINISHED)] : []),
    ...(run.workers ? [`--maxWorkers=${run.workers}`] : []),
    ...(run.serial && !jestArguments.includes('--runInBand') ? ['--runInBand'] : []),
    ...jestArguments,
  ];
  const code = await new Promise((resolve) => {
    const child = spawn(machine.node, args, {
      cwd: machine.root,
      env: {
        ...environment(machine),
        ...env,
        ...(run.zone ? { TZ: run.zone } : {}),
        ...(earlier ? { TEST_EARLIER: earlier, TEST_RUN: run.name } : {}),
        TEST_RESULTS: join(folder, `${run.name}.jsonl`),
      },
      stdio: ['ignore', 'ignore', output],
    });
    const stop = () => {
      child.kill('SIGTERM');
      // A single-process run may be too busy to react, and would continue against the next stack in this folder.
      setTimeout(() => child.kill('SIGKILL'), LAST_WORDS_MS).unref();
    };
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', () => resolve(1));
    child.once('exit', (exitCode) => {
      signal.removeEventListener('abort', stop);
      resolve(exitCode ?? ENDED_BY_SIGNAL);
    });
  });
  if (aside) {
    closeSync(output);
    console.error(readFileSync(log, 'utf8'));
  }
  return code;
}

/** Returns the projects that have a test file which jest would run with these arguments. */
export async function projectsWithTests(machine, jestArguments) {
  const files = await listTests(machine, jestArguments);
  const holds = (folder) => files.some((file) => file.startsWith(`${folder}/`));
  return Object.keys(projects).filter((project) => projects[project].some(holds));
}

/** Returns the tests that import any of the files, directly or not. */
export const testsImporting = async (machine, files) =>
  files.length === 0 ? [] : listTests(machine, ['--findRelatedTests', ...files]);

async function listTests(machine, jestArguments) {
  const args = [...jest(machine), '--listTests', '--passWithNoTests', ...jestArguments];
  const options = { cwd: machine.root, env: environment(machine), maxBuffer: LARGEST_LIST };
  const { stdout } = await promisify(execFile)(machine.node, args, options);
  return stdout.split('\n').flatMap((file) => (file ? [relative(machine.root, file)] : []));
}

const jest = (machine) => [join(machine.root, 'node_modules', 'jest', 'bin', 'jest.js')];

const environment = (machine) => ({
  ...machine.env,
  NODE_OPTIONS: [machine.env.NODE_OPTIONS, ...machine.nodeFlags].filter(Boolean).join(' '),
  // Processes that tests start reuse what others have compiled.
  NODE_COMPILE_CACHE: join(machine.root, '.run', 'tools', 'compile-cache'),
});
