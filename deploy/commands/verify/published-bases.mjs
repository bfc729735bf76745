import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';

const BRANCHES = ['main', 'origin/main'];

/**
 * The commits that what is published must stay compatible with: the main branch, for which it may be this very commit, and
 * the release that is replaced. Only those that this clone has, and that hold `path`.
 */
export async function publishedBases({ root, env }, path) {
  const git = (...args) => observeProgram('git', args, { cwd: root, env });
  const commitOf = async (name) => {
    const { code, output } = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    const commit = output.trim();
    if (code !== 0) return undefined;
    const held = await git('rev-parse', '--verify', '--quiet', `${commit}:${path}`);
    return held.code === 0 ? commit : undefined;
  };
  const release = readFileSync(join(root, 'deploy', 'previous-release'), 'utf8').trim();
  const [main, originMain, released] = await Promise.all([...BRANCHES, release].map(commitOf));
  return [...new Set([main ?? originMain, released])].filter((commit) => commit !== undefined);
}
