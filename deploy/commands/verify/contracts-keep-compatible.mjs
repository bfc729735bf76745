import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { publishedBases } from './published-bases.mjs';

/** Compares the protos with those of the main branch and of the release before this one. Skipped where there are none. */
export async function contractsKeepCompatible(machine) {
  const bases = await publishedBases(machine, 'proto/buf.yaml');
  if (bases.length === 0) return { verdict: 'skipped', output: 'no commit with protos to compare with' };
  const { root, env } = machine;
  const common = await observeProgram('git', ['rev-parse', '--path-format=absolute', '--git-common-dir'], {
    cwd: root,
    env,
  });
  const proto = join(root, 'proto');
  const buf = join(proto, 'node_modules', '.bin', 'buf');
  const broken = [];
  for (const base of bases) {
    const against = `${common.output.trim()}#ref=${base},subdir=proto`;
    const { code, output, reason } = await observeProgram(buf, ['breaking', '--against', against], {
      cwd: proto,
      env,
    });
    if (code !== 0) broken.push(`against ${base}:\n${output || reason}`);
  }
  return { verdict: broken.length === 0 ? 'passed' : 'failed', output: broken.join('\n') };
}
