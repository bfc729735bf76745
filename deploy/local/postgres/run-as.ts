import { execFileSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { hasSetpriv, parentBound, type Wrapper } from '../supervisor/wrapper.ts';
import { CannotStart } from '../terminal.ts';

const USER = 'postgres';

/** How PostgreSQL is run: it refuses to run as root, so root runs it as a user of its own. */
export interface RunAs {
  readonly wrapper: Wrapper;
  /** Gives a folder to the user that PostgreSQL runs as. */
  own(path: string): void;
}

/**
 * Chooses the user. As root that is `postgres`, made when it is missing. When this checkout lies where that user
 * cannot go (a home of root, a private temporary folder), the programs get the one capability that lets them pass.
 */
export function runPostgresAs(paths: readonly string[]): RunAs {
  if (process.getuid?.() !== 0) return { wrapper: parentBound('INT'), own: () => undefined };
  const user = userIds() ?? makeUser();
  if (!hasSetpriv())
    throw new CannotStart(
      'PostgreSQL does not run as root: install util-linux (setpriv), or start as another user',
    );
  const shut = paths.map(closedFolder).find((path) => path !== undefined);
  return {
    wrapper: parentBound('INT', [
      ...['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups', '--no-new-privs'],
      ...(shut === undefined ? ['--inh-caps=-all', '--bounding-set=-all'] : passingFlags),
    ]),
    own: (path) => chownSync(path, user.uid, user.gid),
  };
}

/** Without the securebit, access(2) would answer for the bare user, and PostgreSQL could not find its own files. */
const passingFlags = [
  '--inh-caps=-all,+dac_override',
  '--ambient-caps=-all,+dac_override',
  '--bounding-set=-all,+dac_override',
  '--securebits=+no_setuid_fixup',
];

/** The first folder on the way to `path` that others than its owner cannot pass through. */
function closedFolder(path: string): string | undefined {
  const passable = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o777) & 0o001;
  const parent = dirname(resolve(path));
  const above = parent === path ? undefined : closedFolder(parent);
  return above ?? (passable ? undefined : path);
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

function makeUser(): { uid: number; gid: number } {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', USER], { stdio: 'ignore' });
  } catch {
    // What is missing is said below.
  }
  const made = userIds();
  if (!made)
    throw new CannotStart(
      `PostgreSQL does not run as root and there is no user ${USER}: add one (useradd ${USER})`,
    );
  return made;
}
