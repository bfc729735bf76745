import { execFileSync } from 'node:child_process';

/**
 * The command line that starts a foreign program so that it ends with its parent, by util-linux's `setpriv`. Without that tool, the
 * program may outlive a supervisor that is killed.
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

/** Whether the tool is installed and knows the flag (util-linux 2.33 or later). */
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
