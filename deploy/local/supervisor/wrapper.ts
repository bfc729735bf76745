import { execFileSync } from 'node:child_process';

/**
 * The command line that starts a foreign program so that it ends with the supervisor: util-linux's `setpriv` has the kernel send
 * it `signal` when its parent dies. `flags` are further ones, such as those that change the user. Without the tool, the program
 * runs as it is, and may outlive a supervisor that is killed.
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
