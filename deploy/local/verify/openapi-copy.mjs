import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailedStep, observeProgram } from '../setup/run-program.mjs';

/** Where the published reference of the public API is committed, within the repository. */
export const COPY = 'docs/openapi/v1.json';

const PRINTER = 'services/gateway/src/print-openapi.ts';

/** Compares the committed reference with the one that the gateway's code writes. */
export async function openApiIsFresh(machine) {
  const made = await observeProgram(machine.node, [...machine.nodeFlags, PRINTER], onMachine(machine));
  if (made.code !== 0) return { verdict: 'failed', output: made.output || made.reason };
  return made.output === readCopy(machine)
    ? { verdict: 'passed', output: '' }
    : { verdict: 'failed', output: `stale: ${COPY}\nrun \`npm run generate\` and commit what it changes` };
}

/** Writes the committed reference again. Throws FailedStep when the code does not get that far. */
export async function writeOpenApi(machine) {
  const made = await observeProgram(machine.node, [...machine.nodeFlags, PRINTER], onMachine(machine));
  if (made.code !== 0) throw new FailedStep(`${made.output}\nwriting ${COPY}: ${made.reason}`);
  writeFileSync(join(machine.root, COPY), made.output);
}

function readCopy(machine) {
  try {
    return readFileSync(join(machine.root, COPY), 'utf8');
  } catch {
    return undefined;
  }
}

const onMachine = ({ root, env }) => ({ cwd: root, env });
