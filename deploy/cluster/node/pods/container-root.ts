import { existsSync, lstatSync, mkdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ImageFiles } from '../options.ts';
import type { Identity } from './identity.ts';

/** Something of this machine that a container sees at `target`. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface RootOptions {
  /** An empty folder for it. */
  readonly folder: string;
  readonly mounts: readonly Mount[];
  /** Texts of files, by their names in /etc. */
  readonly etc: Readonly<Record<string, string>>;
  /** Its working directory; made where there is none. */
  readonly workingDirectory: string;
  readonly readOnly: boolean;
}

/** What every container sees of this machine, read-only. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const ETC_FILES = ['/etc/ld.so.cache', '/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/openssl.cnf'];
const ETC_FOLDERS = ['/etc/alternatives'];
const TOOLS = '/usr/sbin:/usr/bin:/sbin:/bin';
/** Beside the texts in a root, only what a container writes where nothing is mounted. */
const ROOT_LIMIT = '256m';
/** What the program's exit code is where it could not even be started. */
export const NOT_STARTED = 125;

/**
 * A script that makes a root of its own out of this machine's programs and the container's mounts, in a mount and process
 * namespace of its own, says `started` on descriptor 3, and becomes `"$@"` with the PATH that it was given.
 */
export function rootScript({ folder, mounts, etc, workingDirectory, readOnly }: RootOptions): string {
  const files = join(folder, 'etc');
  mkdirSync(files, { recursive: true });
  for (const [name, text] of Object.entries(etc)) writeFileSync(join(files, name), text, { mode: 0o644 });
  const root = join(folder, 'root');
  mkdirSync(root, { recursive: true });
  // What lies within another mount comes after it.
  const ordered = mounts.toSorted((a, b) => a.target.length - b.target.length);
  return [
    `path=$PATH; PATH=${TOOLS}`,
    `fail() { echo "the container's files could not be put together: $1" >&2; exit ${NOT_STARTED}; }`,
    // Nothing of it is seen outside.
    `mount -t tmpfs -o mode=755,size=${ROOT_LIMIT} root ${quoted(root)} && cd ${quoted(root)} || fail root`,
    'mkdir -p -m 755 etc/ssl/certs dev proc tmp var home root run && chmod 1777 tmp || fail folders',
    ...SYSTEM.filter((path) => existsSync(path)).map(systemFolder),
    'mount -t proc proc proc || fail proc',
    ...DEVICES.map((name) => `: > dev/${name}; mount --bind /dev/${name} dev/${name} || fail ${name}`),
    'ln -s /proc/self/fd dev/fd || fail fd',
    ...['stdin', 'stdout', 'stderr'].map((name, n) => `ln -s /proc/self/fd/${n} dev/${name} || fail ${name}`),
    'mkdir dev/shm && mount -t tmpfs -o mode=1777,size=64m shm dev/shm || fail shm',
    ...ETC_FILES.filter((path) => existsSync(path)).map((path) =>
      bind({ source: path, target: path, readOnly: true }),
    ),
    ...ETC_FOLDERS.filter((path) => existsSync(path)).map((path) =>
      bind({ source: path, target: path, readOnly: true }),
    ),
    `cp ${quoted(files)}/* etc/ || fail etc`,
    ...ordered.map(bind),
    `mkdir -p ${quoted(workingDirectory.replace(/^\/+/, './'))} || fail 'working directory'`,
    'pivot_root . . && umount -l . && cd / || fail pivot_root',
    ...(readOnly ? ['mount -o remount,ro / || fail "a root that is read-only"'] : []),
    'echo started >&3; exec 3>&-; PATH=$path; exec "$@"',
  ].join('\n');
}

/** The command line that runs a program of a container as its user, in its working directory. */
export function asUser(flags: readonly string[], folder: string, command: readonly string[]): string[] {
  return ['/usr/bin/env', `--chdir=${folder}`, '/usr/bin/setpriv', ...flags, '--', ...command];
}

/** Where a container finds its image's working directory. */
export function imageDirectory({ folder, mounts = [] }: ImageFiles): string {
  for (const { source, target } of mounts) {
    const below = relative(source, folder);
    if (!below.startsWith('..')) return join(target, below);
  }
  return folder;
}

/** What an image brings along. */
export function imageMounts(image: ImageFiles): Mount[] {
  const given = image.mounts ?? [];
  const seen = given.some(({ source }) => !relative(source, image.folder).startsWith('..'));
  const all = seen ? given : [...given, { source: image.folder, target: image.folder }];
  return all.map(({ source, target }) => ({ source, target, readOnly: true }));
}

/** Names of the users that there are in a container. */
export function users({ user, group }: Identity): { passwd: string; group: string } {
  const own = user === 0 || user === 65532 ? [] : [`user${user}:x:${user}:${group}::/:/sbin/nologin`];
  return {
    passwd: ['root:x:0:0::/root:/sbin/nologin', 'nonroot:x:65532:65532::/:/sbin/nologin', ...own, ''].join(
      '\n',
    ),
    group: [
      'root:x:0:',
      'nonroot:x:65532:',
      ...(own.length > 0 ? [`group${group}:x:${group}:`] : []),
      '',
    ].join('\n'),
  };
}

function systemFolder(path: string): string {
  const own = path.slice(1);
  if (lstatSync(path).isSymbolicLink()) return `ln -s ${quoted(readlinkSync(path))} ${own}`;
  return `mkdir ${own} && mount -o bind,ro ${path} ${own} || fail ${path}`;
}

function bind({ source, target, readOnly }: Mount): string {
  const place = quoted(target.replace(/^\/+/, ''));
  const isFolder = statSync(source).isDirectory();
  const make = isFolder
    ? `mkdir -p ${place}`
    : `mkdir -p "$(dirname ${place})" && { [ -e ${place} ] || : > ${place}; }`;
  const options = readOnly ? 'bind,ro' : 'bind';
  // A place that lies in this machine's own folders has to be there: nothing is made in them.
  return `${make} && mount -o ${options} ${quoted(source)} ${place} || fail ${quoted(target)}`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
