import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLockFile } from '../../local/state/lock-file.mjs';
import { cachesWithout } from './caches.mjs';
import { FailedStep } from './run-program.mjs';
import { consolePages, contracts, databaseClients, dependencies, guides } from './steps.mjs';
import { root, setupState } from './workspace.mjs';

const OLDEST_NODE = [22, 19];
const LOCK_MS = 600_000;

/**
 * Makes this checkout ready to run: packages, generated code, guides, console, and a recent enough Node. Does only what
 * is missing or has changed. Resolves to the machine that the commands use.
 */
export async function setUp() {
  Object.assign(process.env, cachesWithout(homedir()));
  if (!dependencies.isDone()) await withLock(() => dependencies.run());
  const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].filter(Boolean).join(delimiter);
  const nodeFlags = ['--disable-warning=ExperimentalWarning'];
  const machine = { root, node: nodeRuntime(), nodeFlags, env: { ...process.env, PATH } };
  if (![contracts, ...databaseClients, guides, consolePages].every((step) => step.isDone()))
    await withLock(async () => {
      await contracts.run(machine);
      await Promise.all([generateDatabaseClients(machine), guides.run(machine), consolePages.run(machine)]);
    });
  return machine;
}

/** Generates two clients at a time. */
export async function generateDatabaseClients(machine, options) {
  const queue = [...databaseClients];
  const lane = async () => {
    for (let step = queue.shift(); step; step = queue.shift()) await step.run(machine, options);
  };
  await Promise.all([lane(), lane()]);
}

/** Runs `work` while no other set-up of this checkout is running. */
async function withLock(work) {
  const path = join(setupState, 'lock');
  let waiting = false;
  for (const deadline = Date.now() + LOCK_MS; Date.now() < deadline; await pause(250)) {
    const { release, owner } = takeLockFile(path);
    if (release) {
      try {
        return await work();
      } finally {
        release();
      }
    }
    if (owner && !waiting) console.log(`waiting for another setup of this checkout (process ${owner.pid})`);
    waiting ||= owner !== undefined;
  }
  throw new FailedStep(`another setup has held ${path} for ten minutes: stop it, or delete that file`);
}

/** The Node that came with the packages, else this one if it is new enough. */
function nodeRuntime() {
  const packaged = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(packaged) && runs(packaged)) return realpathSync(packaged);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]))
    return process.execPath;
  throw new FailedStep(
    `Node ${process.versions.node} is too old, and there is no packaged Node for ${process.platform}-${process.arch}: ` +
      `install Node ${OLDEST_NODE.join('.')} or later`,
  );
}

/** Returns whether a binary runs: one for another C library exists but doesn't run. */
function runs(path) {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
