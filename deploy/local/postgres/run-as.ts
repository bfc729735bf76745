import { execFileSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { boundToParent, hasSetpriv } from '../supervisor/wrapper.ts';
import { CannotStart } from '../terminal.ts';

const USER = 'postgres';

/** How PostgreSQL is run. It refuses to run as root, so root runs it as another user. */
export interface RunAs {
  wrap(command: string, args: readonly string[]): { command: string; args: string[] };
  /** Gives a folder to the user that PostgreSQL runs as. */
  own(path: string): void;
}

/** Chooses the user: for root it is `postgres`, created when missing, with a capability where it can't reach this checkout. */
export function runPostgresAs(paths: readonly string[]): RunAs {
  if (process.getuid?.() !== 0)
    return { wrap: (command, args) => boundToParent('INT', command, args), own: () => undefined };
  const user = userIds() ?? createUser();
  if (!hasSetpriv())
    throw new CannotStart(
      'PostgreSQL cannot run as root: install util-linux (setpriv), or start as another user',
    );
  const flags = [
    ...['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups', '--no-new-privs'],
    ...(paths.some(isClosed) ? PASSING_FLAGS : ['--inh-caps=-all', '--bounding-set=-all']),
  ];
  return {
    wrap: (command, args) => boundToParent('INT', command, args, flags),
    own: (path) => chownSync(path, user.uid, user.gid),
  };
}

/** Without the securebit, access(2) would check the unprivileged user, and PostgreSQL would not find its own files. */
const PASSING_FLAGS = [
  '--inh-caps=-all,+dac_override',
  '--ambient-caps=-all,+dac_override',
  '--bounding-set=-all,+dac_override',
  '--securebits=+no_setuid_fixup',
];

/** Returns whether other users can't traverse a path or a folder above it. */
function isClosed(path: string): boolean {
  const passable = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o777) & 0o001;
  const parent = dirname(resolve(path));
  return !passable || (parent !== path && isClosed(parent));
}

function userIds(): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, USER], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

function createUser(): { uid: number; gid: number } {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', USER], { stdio: 'ignore' });
  } catch {
    // Reported below.
  }
  const created = userIds();
  if (!created)
    throw new CannotStart(
      `PostgreSQL cannot run as root, and there is no user ${USER}: add one (useradd ${USER})`,
    );
  return created;
}
