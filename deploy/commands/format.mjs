import { join } from 'node:path';
import { runProgram } from './setup/run-program.mjs';

/** Formats in place. What the linter can't fix is printed. */
export async function run({ root, env }) {
  await runProgram('format sources', 'biome', ['check', '--write', '.'], { cwd: root, env });
  const proto = join(root, 'proto');
  await runProgram('format protos', join(proto, 'node_modules', '.bin', 'buf'), ['format', '--write'], {
    cwd: proto,
    env,
  });
  return 0;
}
