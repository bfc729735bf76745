// The entry point of every package script. Plain JavaScript without dependencies, because it runs before anything is
// installed, on any Node (20 or later) that the machine has.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startInBackground } from './background.mjs';
import { commands, describeCommands, unknownFlag } from './commands.mjs';
import { describeExit, machineFault } from './machine-faults.mjs';
import { watchParent } from './parent-watch.mjs';
import { FailedStep } from './setup/run-program.mjs';
import { setUp } from './setup/set-up.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const INTERRUPTED = 130;

const [name, ...args] = process.argv.slice(2);
const command = commands[name ?? ''];

if (!command) {
  const asked = name === '--help' || name === '-h';
  (asked ? console.log : console.error)(describeCommands());
  process.exit(asked ? 0 : 64);
}

if (args.includes('--help') || args.includes('-h')) {
  console.log(command.help);
  process.exit(0);
}

// Before the set-up, which takes a minute.
const unknown = unknownFlag(command, args);
if (unknown !== undefined) {
  console.error(`unknown flag ${unknown}: see npm run ${name} -- --help`);
  process.exit(64);
}
const missing = command.missing?.(args);
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}

try {
  const machine = command.asItIs ? undefined : await interruptible(setUp);
  process.exitCode = command.module
    ? await (await import(command.module)).run(machine, args)
    : await (args.includes('--background') ? startInBackground : runProgram)(machine, command, args);
} catch (error) {
  const line = error instanceof FailedStep ? error.message : machineFault(error);
  if (line === undefined) throw error;
  console.error(line);
  process.exitCode = 1;
}

/** Does work that has started programs, which end when this process exits. */
async function interruptible(work) {
  const exit = () => process.exit(INTERRUPTED);
  for (const signal of SIGNALS) process.on(signal, exit);
  const forget = watchParent(exit);
  try {
    return await work();
  } finally {
    forget();
    for (const signal of SIGNALS) process.off(signal, exit);
  }
}

/** Runs a TypeScript program in the foreground and resolves to its exit code. The channel tells it when this process is gone. */
function runProgram(machine, { program, flags = [], args: first = [] }, args) {
  const child = spawn(
    machine.node,
    [...machine.nodeFlags, ...flags, join(machine.root, program), ...first, ...args],
    {
      cwd: machine.root,
      env: machine.env,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    },
  );
  const stop = () => child.kill('SIGTERM');
  for (const signal of SIGNALS) process.on(signal, stop);
  watchParent(stop);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`cannot start ${program}: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL') console.error(`${program}: ${describeExit(code, signal)}`);
      resolve(code ?? (signal === 'SIGINT' ? INTERRUPTED : 1));
    });
  });
}
