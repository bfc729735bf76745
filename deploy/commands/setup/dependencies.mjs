import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce } from './announce.mjs';
import { runProgram } from './run-program.mjs';
import { forget, isDone, printOf, remember } from './stamps.mjs';
import { packageFiles, packageManager, root } from './workspace.mjs';

const STEP = 'dependencies';

/** The pnpm that runs is the one the repository names, whether or not the lockfile also records where it came from. */
const installFlags = ['--frozen-lockfile', '--pm-on-fail=ignore'];

const print = () =>
  printOf(
    [join(root, 'pnpm-lock.yaml'), join(root, 'pnpm-workspace.yaml'), ...packageFiles()],
    process.platform,
    process.arch,
  );

/** True when the packages of the lockfile are in place. */
export function dependenciesInstalled() {
  return existsSync(join(root, 'node_modules', '.modules.yaml')) && isDone(STEP, print());
}

/** Installs exactly what the lockfile says. */
export async function installDependencies() {
  if (dependenciesInstalled()) return;
  const wanted = print();
  forget(STEP);
  const says = 'installing packages';
  // CI=true keeps pnpm from asking questions that nobody can answer here.
  const env = { ...process.env, CI: 'true' };
  await announce(says, () =>
    runProgram(says, 'npx', ['-y', packageManager(), 'install', ...installFlags], { cwd: root, env }),
  );
  remember(STEP, wanted);
}
