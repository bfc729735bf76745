import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program, or a file of one, that is installed on some machines. */
export interface Program {
  /** A command, or an absolute path. */
  readonly command: string;
  /** Arguments with which the command succeeds only if all of it is installed, such as an import. */
  readonly proof?: readonly string[];
  /** Debian's package, shown to anyone who wants the test to run. */
  readonly debianPackage: string;
}

export const CURL: Program = { command: 'curl', debianPackage: 'curl' };
export const PYTHON: Program = { command: 'python3', debianPackage: 'python3' };
/** Debian's own Python, with the library that suppliers' programs import. */
export const PYTHON_REQUESTS: Program = {
  command: '/usr/bin/python3',
  proof: ['-c', 'import requests'],
  debianPackage: 'python3-requests',
};

/**
 * Returns `it`, or `it.skip` if a program is missing; a skip reports what is missing. With CI=true no test is skipped
 * because of a missing program, so that no pipeline passes without it.
 */
export function itWith(...programs: readonly Program[]): typeof it | typeof it.skip {
  const absent = programs.filter((program) => !isInstalled(program));
  if (absent.length === 0 || process.env.CI === 'true') return it;
  for (const { command, proof = [], debianPackage } of absent)
    console.warn(
      `skipped: there is no ${[command, ...proof].join(' ')}: apt-get install -y ${debianPackage}`,
    );
  return it.skip;
}

function isInstalled({ command, proof }: Program): boolean {
  if (proof) return spawnSync(command, proof, { stdio: 'ignore' }).status === 0;
  if (command.startsWith('/')) return existsSync(command);
  return spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;
}
