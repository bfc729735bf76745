import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { watchParent } from './parent-watch.mjs';

/** Runs a TypeScript command of the repository in a process whose output is the command's. Resolves to its exit code. */
export function runMain(machine, main, args) {
  const child = spawn(machine.node, [...machine.nodeFlags, join(machine.root, main), ...args], {
    cwd: machine.root,
    env: machine.env,
    stdio: 'inherit',
  });
  const stop = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  watchParent(stop);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`${main} cannot be started: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
