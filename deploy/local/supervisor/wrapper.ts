import { execFileSync } from 'node:child_process';

/**
 * Returns the command line that starts an external program so that it ends with its parent, with util-linux's
 * `setpriv`. Without that tool, the program may outlive a killed supervisor.
 */
export function boundToParent(
  signal: 'INT' | 'TERM',
  command: string,
  args: readonly string[],
  flags: readonly string[] = [],
): { command: string; args: string[] } {
  if (!hasSetpriv()) return { command, args: [...args] };
  return { command: 'setpriv', args: ['--pdeathsig', signal, ...flags, '--', command, ...args] };
}

let known: boolean | undefined;

/** Returns whether the tool is installed and supports the flag (util-linux 2.33 or later). */
export function hasSetpriv(): boolean {
  try {
    if (known === undefined)
      execFileSync('setpriv', ['--pdeathsig', 'TERM', '--', 'true'], { stdio: 'ignore', timeout: 5_000 });
    known ??= true;
  } catch {
    known = false;
  }
  return known;
}
