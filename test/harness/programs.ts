import { spawnSync } from 'node:child_process';

/** A program that not every machine has, and the package of Debian that brings it. */
export interface Program {
  readonly command: string;
  readonly debianPackage: string;
}

/** `it`, or `it.skip` with its reason where the program is missing. With CI=true it runs, and fails, without it. */
export function itWithProgram({ command, debianPackage }: Program): typeof it | typeof it.skip {
  const found = spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;
  if (found || process.env.CI === 'true') return it;
  console.warn(`skipped: there is no ${command}: apt-get install -y ${debianPackage}`);
  return it.skip;
}
