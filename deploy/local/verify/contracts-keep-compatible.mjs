import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';

const BASES = ['main', 'origin/main'];

/** Compares the protos with those of the main branch. Skipped where no main branch holds any yet. */
export async function contractsKeepCompatible(machine) {
  const git = (...args) => observeProgram('git', args, { cwd: machine.root, env: machine.env });
  const base = await firstBase(git);
  if (!base) return { verdict: 'skipped', output: 'no main branch with protos to compare with' };
  const common = await git('rev-parse', '--path-format=absolute', '--git-common-dir');
  const proto = join(machine.root, 'proto');
  const against = `${common.output.trim()}#ref=${base},subdir=proto`;
  const buf = join(proto, 'node_modules', '.bin', 'buf');
  const { code, output, reason } = await observeProgram(buf, ['breaking', '--against', against], {
    cwd: proto,
    env: machine.env,
  });
  return { verdict: code === 0 ? 'passed' : 'failed', output: output || reason };
}

async function firstBase(git) {
  for (const name of BASES) {
    const found = await git('rev-parse', '--verify', '--quiet', `${name}:proto/buf.yaml`);
    const commit = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    if (found.code === 0 && commit.code === 0) return commit.output.trim();
  }
  return undefined;
}
