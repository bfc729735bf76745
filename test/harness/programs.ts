import { spawnSync } from 'node:child_process';

/** A program that may not be installed, and the Debian package that provides it. */
export interface Program {
  readonly command: string;
  readonly debianPackage: string;
}

/**
 * Returns `it`, or `it.skip` with a reason if the program is missing. With CI=true the test runs and fails without it.
 */
export function itWithProgram({ command, debianPackage }: Program): typeof it | typeof it.skip {
  const found = spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;
  if (found || process.env.CI === 'true') return it;
  console.warn(`skipped: there is no ${command}: apt-get install -y ${debianPackage}`);
  return it.skip;
}
