import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Black-box tests share one stack, and a fault of one must not be felt by another. */
const SERIAL = new Set(['faults']);

/** Runs one jest project in the foreground and writes its results to `outputFile`. Resolves to jest's exit code. */
export function runJest(machine, project, outputFile, jestArguments, signal) {
  const NODE_OPTIONS = [machine.env.NODE_OPTIONS, '--experimental-vm-modules', ...machine.nodeFlags]
    .filter(Boolean)
    .join(' ');
  const args = [
    join(machine.root, 'node_modules', 'jest', 'bin', 'jest.js'),
    '--selectProjects',
    project,
    '--passWithNoTests',
    '--json',
    `--outputFile=${outputFile}`,
    ...(SERIAL.has(project) && !jestArguments.includes('--runInBand') ? ['--runInBand'] : []),
    ...jestArguments,
  ];
  return new Promise((resolve) => {
    const child = spawn(machine.node, args, {
      cwd: machine.root,
      env: { ...machine.env, NODE_OPTIONS },
      // The JSON goes to the file; what jest would also print of it on stdout is of no use on a terminal.
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', () => resolve(1));
    child.once('exit', (code) => {
      signal.removeEventListener('abort', stop);
      resolve(code ?? 1);
    });
  });
}
