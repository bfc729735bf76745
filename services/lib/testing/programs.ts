import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';

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
 * Whether tests of `what` run: if the machine has what they need, and always with CI=true, so that no pipeline passes
 * without it. Otherwise the summary of `npm test` names them. `toGet` is a list of Debian packages, or advice.
 */
export function isTested(what: string, isThere: boolean, toGet: readonly string[] | string): boolean {
  if (isThere || process.env.CI === 'true') return true;
  noteUntested(what, toGet);
  return false;
}

/** Adds to the summary of `npm test` what can't be tested here. */
export function noteUntested(what: string, toGet: readonly string[] | string): void {
  const { TEST_RESULTS } = process.env;
  if (TEST_RESULTS) appendFileSync(TEST_RESULTS, `${JSON.stringify({ untested: what, toGet })}\n`);
}

/** Returns `it`, or `it.skip` if a program is missing. With CI=true no test is skipped. */
export function itWith(...programs: readonly Program[]): typeof it | typeof it.skip {
  const areTested = programs.map((program) =>
    isTested(program.debianPackage, isInstalled(program), [program.debianPackage]),
  );
  return areTested.includes(false) ? it.skip : it;
}

function isInstalled({ command, proof }: Program): boolean {
  if (proof) return spawnSync(command, proof, { stdio: 'ignore' }).status === 0;
  if (command.startsWith('/')) return existsSync(command);
  return spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;
}
