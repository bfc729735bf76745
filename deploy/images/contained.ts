import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The user of every image. */
export const NONROOT = 65532;

/** Something of this machine that a process sees at the same path. */
export interface Mount {
  readonly path: string;
  readonly writable?: boolean;
}

/** What engines bring into every container. */
const USUAL: readonly Mount[] = [
  { path: '/proc', writable: true },
  { path: '/dev/null', writable: true },
  { path: '/dev/urandom', writable: true },
  { path: '/etc/hosts' },
];

/** Makes the places in an unpacked image that `mounts` come to. */
export function prepareMounts(root: string, mounts: readonly Mount[]): void {
  mkdirSync(join(root, 'tmp'), { recursive: true });
  for (const { path } of [...USUAL, ...mounts]) {
    const place = join(root, path);
    if (statSync(path).isDirectory()) mkdirSync(place, { recursive: true });
    else {
      mkdirSync(dirname(place), { recursive: true });
      closeSync(openSync(place, 'a'));
    }
  }
}

/**
 * The command line that runs `command` as a container with a read-only root does: in the files below `root` alone, which it
 * cannot change, with an empty `/tmp`, as the user of images. The process keeps the number and the open files of the one
 * that is started, and its mounts end with it. Needs root on Linux; `prepareMounts` comes first.
 */
export function contained(
  root: string,
  mounts: readonly Mount[],
  command: readonly string[],
): [string, string[]] {
  const bind = (from: string, to: string, writable: boolean) => [
    `mount --bind ${quote(from)} ${quote(to)}`,
    ...(writable ? [] : [`mount -o remount,bind,ro ${quote(to)}`]),
  ];
  // Below the empty `/tmp` there is no place yet for what lies there on this machine, too.
  const makePlace = (from: string, to: string) =>
    `[ -e ${quote(to)} ] || if [ -d ${quote(from)} ]; then mkdir -p ${quote(to)}; else mkdir -p ${quote(dirname(to))}; : > ${quote(to)}; fi`;
  const script = [
    'set -e',
    ...bind(root, root, false),
    `mount -t tmpfs -o mode=1777 tmpfs ${quote(join(root, 'tmp'))}`,
    ...[...USUAL, ...mounts].flatMap(({ path, writable }) => [
      makePlace(path, join(root, path)),
      ...bind(path, join(root, path), writable ?? false),
    ]),
    `exec chroot --userspec=${NONROOT}:${NONROOT} ${quote(root)} "$@"`,
  ].join('\n');
  return ['unshare', ['--mount', '--', 'sh', '-c', script, 'sh', ...command]];
}

/** Why processes cannot be contained on this machine; undefined where they can. */
export function whyNotContained(): string | undefined {
  const { status, stderr, error } = spawnSync(
    'unshare',
    ['--mount', '--', 'mount', '--bind', '/tmp', '/tmp'],
    {
      encoding: 'utf8',
    },
  );
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
