import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

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
const IMPORTS_REQUESTS = ['-c', 'import requests'];
let pythonWithRequests: string | undefined;
/** Python with the library that suppliers' programs import: Debian's, else of a virtual environment. */
export const PYTHON_REQUESTS: Program = {
  get command() {
    pythonWithRequests ??= findPythonWithRequests();
    return pythonWithRequests;
  },
  proof: IMPORTS_REQUESTS,
  debianPackage: 'python3-requests',
};

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');
const VENV_MS = 300_000;

/** Returns the first Python that has the library. Creates the virtual environment, once for all checkouts. */
export function findPythonWithRequests(debians = '/usr/bin/python3', cache = CACHE): string {
  const succeeds = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { stdio: 'ignore', timeout: VENV_MS }).status === 0;
  const venv = join(cache, 'python-requests');
  const own = join(venv, 'bin', 'python');
  const found = [debians, own].find((python) => succeeds(python, ...IMPORTS_REQUESTS));
  if (found !== undefined) return found;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'obtaining-'));
  try {
    const isMade =
      succeeds('python3', '-m', 'venv', draft) &&
      succeeds(join(draft, 'bin', 'pip'), 'install', '--quiet', 'requests>=2.28,<3');
    // Another test may have been faster.
    if (isMade && !existsSync(venv)) renameSync(draft, venv);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return existsSync(own) ? own : debians;
}

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
