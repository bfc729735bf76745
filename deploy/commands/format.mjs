import { join } from 'node:path';
import { runProgram } from './setup/run-program.mjs';

const formatters = [
  { says: 'formats sources', command: 'biome', args: ['check', '--write', '.'], cwd: '.' },
  {
    says: 'formats protos',
    command: join('node_modules', '.bin', 'buf'),
    args: ['format', '--write'],
    cwd: 'proto',
  },
];

/** Formats in place. What the linter cannot fix by itself is printed. */
export async function run(machine) {
  for (const { says, command, args, cwd } of formatters)
    await runProgram(says, command, args, { cwd: join(machine.root, cwd), env: machine.env });
  return 0;
}
