import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce } from './announce.mjs';
import { runProgram } from './run-program.mjs';
import { forget, isDone, printOf, remember } from './stamps.mjs';
import { root } from './workspace.mjs';

const STEP = 'guides';
const folder = join(root, 'docs', 'suppliers');
/** Pages, the interface that the reference is written from, and what is offered for download. */
const sources = [
  folder,
  join(root, 'docs', 'openapi', 'v1.json'),
  join(root, 'docs', 'examples'),
  join(root, 'docs', 'webhook-test-vectors.json'),
];
/** Written last. */
const built = join(root, 'services', 'gateway', 'guides', 'script-hashes.json');

const print = () => printOf(sources);

/** True when the suppliers' guides are those of their present sources. */
export const guidesBuilt = () => existsSync(built) && isDone(STEP, print());

/** Builds the suppliers' guides, which the gateway serves. */
export async function buildGuides(machine) {
  if (guidesBuilt()) return;
  const wanted = print();
  forget(STEP);
  const says = 'building the guides';
  const program = join(folder, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  await announce(says, () =>
    runProgram(says, machine.node, [program, 'build', folder], { cwd: root, env: machine.env }),
  );
  remember(STEP, wanted);
}
