import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce } from './announce.mjs';
import { runProgram } from './run-program.mjs';
import { forget, isDone, printOf, remember } from './stamps.mjs';
import { root } from './workspace.mjs';

const STEP = 'console-pages';
const web = join(root, 'services', 'console', 'web');
/** What is shown, and the contracts that it calls by. */
const sources = [
  web,
  join(root, 'proto', 'gen', 'supplier'),
  join(root, 'services', 'console', 'package.json'),
];
/** Written last. */
const built = join(root, 'services', 'console', 'dist', 'pages', 'index.html.gz');

const print = () => printOf(sources);

/** True when the console's application is that of its present sources. */
export const consolePagesBuilt = () => existsSync(built) && isDone(STEP, print());

/** Builds the application that the console serves. */
export async function buildConsolePages(machine) {
  if (consolePagesBuilt()) return;
  const wanted = print();
  forget(STEP);
  const says = 'building the console';
  await announce(says, () =>
    runProgram(says, machine.node, [join(web, 'build.mjs')], { cwd: root, env: machine.env }),
  );
  remember(STEP, wanted);
}
