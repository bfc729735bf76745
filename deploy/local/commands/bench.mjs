import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { watchParent } from './parent-watch.mjs';

/** Runs a benchmark in a process of its own, whose output is the command's. Resolves to its exit code. */
export function run(machine, args) {
  const main = join(machine.root, 'deploy/local/bench/main.ts');
  const child = spawn(machine.node, [...machine.nodeFlags, main, ...args], {
    cwd: machine.root,
    env: machine.env,
    stdio: 'inherit',
  });
  const stop = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  watchParent(stop);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`the benchmark cannot be started: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
