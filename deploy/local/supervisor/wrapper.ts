import { execFileSync } from 'node:child_process';

/** How to start a foreign program so that it shares the fate of the supervisor, and as whom. */
export interface Wrapper {
  /** The command line that starts `command` with `args`. */
  wrap(command: string, args: readonly string[]): { command: string; args: string[] };
  /** False where the machine has no such tool: a program may then outlive a supervisor that is killed. */
  readonly followsParent: boolean;
}

const plain: Wrapper = {
  wrap: (command, args) => ({ command, args: [...args] }),
  followsParent: false,
};

/**
 * Wraps programs with util-linux's `setpriv`, which has the kernel send `lastSignal` to a program when its parent
 * dies. `extra` are further flags, such as those that change the user. Without the tool, programs run as they are.
 */
export function parentBound(lastSignal: 'INT' | 'TERM', extra: readonly string[] = []): Wrapper {
  if (!hasSetpriv()) return plain;
  return {
    wrap: (command, args) => ({
      command: 'setpriv',
      args: ['--pdeathsig', lastSignal, ...extra, '--', command, ...args],
    }),
    followsParent: true,
  };
}

let known: boolean | undefined;

/** True where the tool is installed and knows the flag (util-linux 2.33 or later). */
export function hasSetpriv(): boolean {
  if (known !== undefined) return known;
  try {
    execFileSync('setpriv', ['--pdeathsig', 'TERM', '--', 'true'], { stdio: 'ignore', timeout: 5_000 });
    known = true;
  } catch {
    known = false;
  }
  return known;
}
