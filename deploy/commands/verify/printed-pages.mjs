import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailedStep, observeProgram } from '../setup/run-program.mjs';

/** Where the published reference of the public API is committed, within the repository. */
export const OPENAPI = 'docs/openapi/v1.json';

const VERIFIERS = 'docs/examples/webhook-verifier';

/** Committed pages, each with the program that prints it from the code, and its arguments. Later ones are made from earlier ones. */
const PAGES = [
  { page: OPENAPI, printer: ['services/gateway/src/print-openapi.ts'] },
  ...[`${VERIFIERS}/node/verify.mjs`, `${VERIFIERS}/python/verify.py`].map((page) => ({
    page,
    printer: ['deploy/commands/samples/print-verifier.ts', page],
  })),
  { page: 'docs/settings.md', printer: ['deploy/commands/settings/print-settings.ts'] },
];

/** Compares the committed pages with what the code prints. */
export async function printedPagesAreFresh(machine) {
  const findings = [];
  for (const { page, printer } of PAGES) {
    const { code, output, reason } = await print(machine, printer);
    if (code !== 0) findings.push(output || reason);
    else if (output !== committed(machine, page)) findings.push(`stale: ${page}`);
  }
  const advice = 'run `npm run generate` and commit what it changes';
  return findings.length === 0
    ? { verdict: 'passed', output: '' }
    : { verdict: 'failed', output: [...findings, advice].join('\n') };
}

/** Writes the committed pages again. Throws FailedStep when the code does not get that far. */
export async function writePrintedPages(machine) {
  for (const { page, printer } of PAGES) {
    const { code, output, reason } = await print(machine, printer);
    if (code !== 0) throw new FailedStep(`${output}\nwriting ${page}: ${reason}`);
    writeFileSync(join(machine.root, page), output);
  }
}

function committed({ root }, page) {
  try {
    return readFileSync(join(root, page), 'utf8');
  } catch {
    return undefined;
  }
}

const print = ({ root, env, node, nodeFlags }, printer) =>
  observeProgram(node, [...nodeFlags, ...printer], { cwd: root, env });
