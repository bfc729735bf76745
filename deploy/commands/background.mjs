import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isRunning, ownerOf } from '../local/state/lock-file.mjs';
import { watchParent } from './parent-watch.mjs';
import { root } from './setup/workspace.mjs';

const SHOW_EVERY_MS = 200;
const STOP_MS = 120_000;

/** Starts the local stack in a new session, and shows its output. Resolves to 0 when it is ready, or to its exit code. */
export async function startInBackground(machine, { program, flags }, args) {
  const state = stateOf(args);
  mkdirSync(state, { recursive: true });
  const other = ownerOf(join(state, 'stack.lock'));
  if (other) {
    console.error(
      `a stack is already running on ${state} (process ${other.pid}): stop it first, with npm stop`,
    );
    return 1;
  }
  const path = join(state, 'start.log');
  const log = openSync(path, 'w', 0o600);
  const child = spawn(machine.node, [...machine.nodeFlags, ...flags, join(root, program), ...args], {
    cwd: root,
    env: machine.env,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const stop = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  watchParent(stop);
  let shown = 0;
  const show = () => {
    const output = readFileSync(path);
    process.stdout.write(output.subarray(shown));
    shown = output.length;
  };
  const timer = setInterval(show, SHOW_EVERY_MS);
  const code = await new Promise((done) => {
    child.on('message', (message) => message?.running && done(0));
    child.once('error', () => done(1));
    child.once('exit', (exitCode) => done(exitCode || 1));
  });
  clearInterval(timer);
  show();
  if (code === 0) {
    child.disconnect();
    child.unref();
    const flag = args.some((argument) => argument.startsWith('--state')) ? ` -- --state ${state}` : '';
    console.log(`running in the background; to stop it: npm stop${flag}`);
  }
  return code;
}

/** Stops the local stack and waits until all its processes have ended. Resolves to the exit code. */
export async function run(_machine, args) {
  const state = stateOf(args);
  const owner = ownerOf(join(state, 'stack.lock'));
  if (!owner) {
    console.log(`no stack is running on ${state}`);
    return 0;
  }
  process.kill(owner.pid, 'SIGTERM');
  for (const deadline = Date.now() + STOP_MS; Date.now() < deadline; await pause(SHOW_EVERY_MS))
    if (!isRunning(owner)) {
      console.log(`stopped the stack on ${state}`);
      return 0;
    }
  console.error(`the stack on ${state} (process ${owner.pid}) has not stopped: see ${join(state, 'logs')}`);
  return 1;
}

function stateOf(args) {
  const { values } = parseArgs({
    args,
    options: { state: { type: 'string', default: '.run' } },
    strict: false,
  });
  return resolve(root, values.state);
}
