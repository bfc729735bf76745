import { spawnSync } from 'node:child_process';

/** A program that some machines have. */
export interface Runtime {
  readonly command: string;
  /** Debian's package, named to those who want the test to run. */
  readonly debianPackage: string;
  /** Whether a pipeline (CI=true) must have it: the test then runs, and fails, where it is missing. */
  readonly required: boolean;
}

/**
 * `it`, or `it.skip` where a runtime is missing; a skip says what is missing. With CI=true nothing is skipped for want
 * of a required runtime, so that no pipeline is green without it.
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
