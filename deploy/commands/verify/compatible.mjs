import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { verdictOf } from './verdict.mjs';

/** Compares the protos with the versions on the main branch and in the previous release. */
export const contractsStayCompatible = (machine) =>
  againstPublished(machine, 'proto/buf.yaml', async (base, git) => {
    const { output: folder } = await git('rev-parse', '--path-format=absolute', '--git-common-dir');
    const cwd = join(machine.root, 'proto');
    const buf = join(cwd, 'node_modules', '.bin', 'buf');
    const against = `${folder.trim()}#ref=${base},subdir=proto`;
    return observeProgram(buf, ['breaking', '--against', against], { cwd, env: machine.env });
  });

/** Compares the committed OpenAPI document with the versions on the main branch and in the previous release. */
export const openApiStaysCompatible = (machine) =>
  againstPublished(machine, 'docs/openapi/v1.json', (base) =>
    observeProgram(machine.node, [...machine.nodeFlags, 'deploy/commands/verify/openapi/compare.ts', base], {
      cwd: machine.root,
      env: machine.env,
    }),
  );

/** Runs `compare` against the main branch and the previous release, if this clone has them with `path`; skipped otherwise. */
async function againstPublished({ root, env }, path, compare) {
  const git = (...args) => observeProgram('git', args, { cwd: root, env });
  const commitOf = async (name) => {
    const { code, output } = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    const commit = output.trim();
    if (code !== 0) return undefined;
    return (await git('cat-file', '-e', `${commit}:${path}`)).code === 0 ? commit : undefined;
  };
  const release = readFileSync(join(root, 'deploy', 'previous-release'), 'utf8').trim();
  const [main, originMain, released] = await Promise.all(['main', 'origin/main', release].map(commitOf));
  const bases = [...new Set([main ?? originMain, released])].filter(Boolean);
  if (bases.length === 0) return { verdict: 'skipped', output: `no commit with ${path} to compare with` };
  const findings = [];
  for (const base of bases) {
    const { code, output, reason } = await compare(base, git);
    if (code !== 0) findings.push(`against ${base}:\n${output || reason}`);
  }
  return verdictOf(findings);
}
