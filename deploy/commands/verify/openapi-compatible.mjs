import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { OPENAPI } from './printed-pages.mjs';
import { publishedBases } from './published-bases.mjs';

const COMPARER = 'deploy/commands/verify/openapi/compare.ts';
/** What the document once said and the API never did. An entry may go once the main branch no longer says it. */
const CORRECTIONS = 'docs/openapi/corrections.json';

/** Compares the committed reference with that of the main branch and of the release before this one. Skipped where there is none. */
export async function openApiKeepsCompatible(machine) {
  const bases = await publishedBases(machine, OPENAPI);
  if (bases.length === 0) return { verdict: 'skipped', output: `no commit with ${OPENAPI} to compare with` };
  const broken = [];
  for (const base of bases) {
    const finding = await breaks(machine, base);
    if (finding !== undefined) broken.push(`against ${base}:\n${finding}`);
  }
  return { verdict: broken.length === 0 ? 'passed' : 'failed', output: broken.join('\n') };
}

/** What would break suppliers who read the reference of that commit; nothing where all goes on. */
async function breaks({ root, env, node, nodeFlags }, base) {
  const { output: published } = await observeProgram('git', ['show', `${base}:${OPENAPI}`], {
    cwd: root,
    env,
  });
  const staging = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const before = join(staging, 'published.json');
    writeFileSync(before, published);
    const args = [...nodeFlags, COMPARER, before, OPENAPI, CORRECTIONS];
    const { code, output, reason } = await observeProgram(node, args, { cwd: root, env });
    return code === 0 ? undefined : output || reason;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
