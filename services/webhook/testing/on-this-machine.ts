import { spawnSync } from 'node:child_process';

/** A program that is installed on some machines. */
export interface Runtime {
  readonly command: string;
  /** Debian's package, shown to anyone who wants the test to run. */
  readonly debianPackage: string;
  /** Whether a pipeline (CI=true) must have it: the test then runs, and fails, if it is missing. */
  readonly required: boolean;
}

/**
 * Returns `it`, or `it.skip` if a runtime is missing; a skip reports what is missing. With CI=true no test is skipped
 * because of a missing required runtime, so that no pipeline passes without it.
 */
export function itWith(runtimes: readonly Runtime[]): typeof it | typeof it.skip {
  const absent = runtimes.filter(({ command }) => !isInstalled(command));
  if (absent.length === 0) return it;
  if (process.env.CI === 'true' && absent.some(({ required }) => required)) return it;
  for (const { command, debianPackage } of absent)
    console.warn(`skipped: there is no ${command}: apt-get install -y ${debianPackage}`);
  return it.skip;
}

function isInstalled(command: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;
}
