import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { COPY } from './openapi-copy.mjs';

const BASES = ['main', 'origin/main'];
const COMPARER = 'deploy/local/verify/openapi/compare.ts';
/** What the document once said and the API never did. An entry may go once the main branch no longer says it. */
const CORRECTIONS = 'docs/openapi/corrections.json';

/** Compares the committed reference with that of the main branch. Skipped where no main branch holds one yet. */
export async function openApiKeepsCompatible(machine) {
  const published = await publishedCopy(machine);
  if (published === undefined)
    return { verdict: 'skipped', output: `no main branch with ${COPY} to compare with` };
  const staging = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const before = join(staging, 'published.json');
    writeFileSync(before, published);
    const { code, output, reason } = await observeProgram(
      machine.node,
      [...machine.nodeFlags, COMPARER, before, COPY, CORRECTIONS],
      { cwd: machine.root, env: machine.env },
    );
    return { verdict: code === 0 ? 'passed' : 'failed', output: output || reason };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function publishedCopy({ root, env }) {
  for (const base of BASES) {
    const shown = await observeProgram('git', ['show', `${base}:${COPY}`], { cwd: root, env });
    if (shown.code === 0) return shown.output;
  }
  return undefined;
}
