import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface BuildOptions {
  readonly target: string;
  readonly tag: string;
  readonly args: Readonly<Record<string, string>>;
  readonly file: string;
  readonly context: string;
  /** Of files and images, in seconds since 1970. */
  readonly date: number;
  /** `linux/arm64`, …; this machine's by default. */
  readonly platform?: string | undefined;
}

export type Engine = ReturnType<typeof engineOf>;

const BUILD_MS = 900_000;

/** Returns podman's flags for a store in `folder`, separate from the machine's. */
export const storeIn = (folder: string) => [
  ...['--root', join(folder, 'store')],
  ...['--runroot', join(folder, 'run')],
];

export const OWN_PLATFORM = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** Opens podman, with a store in `folder`, or docker. */
export function engineOf(name: 'podman' | 'docker', folder: string) {
  const own = name === 'podman' ? storeIn(folder) : [];
  const run = (...args: string[]) =>
    execFileSync(name, [...own, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  // Some machines don't allow namespaces.
  const isolation = name === 'podman' ? ['--isolation', 'chroot'] : [];
  // Docker's builder takes the time from SOURCE_DATE_EPOCH.
  const dated = (date: number) => (name === 'podman' ? ['--timestamp', String(date)] : []);
  return {
    name: name as string,
    /** Imports a folder as an image of one layer. */
    importFolder(from: string, tag: string, env: Readonly<Record<string, string>> = {}): void {
      const changes = Object.entries(env).flatMap(([key, value]) => ['--change', `ENV ${key}=${value}`]);
      pipe(
        ['tar', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-C', from, '-c', '.'],
        [name, ...own, 'import', ...changes, '-', tag],
      );
    },
    build({ target, tag, args, file, context, date, platform }: BuildOptions): void {
      // Podman 4.3 doesn't set BUILDPLATFORM.
      const on = platform === undefined ? {} : { BUILDPLATFORM: OWN_PLATFORM };
      const given = Object.entries({ ...args, ...on, SOURCE_DATE_EPOCH: String(date) }).flatMap(
        ([key, value]) => ['--build-arg', `${key}=${value}`],
      );
      execFileSync(
        name,
        [
          ...[...own, 'build', ...isolation, ...dated(date)],
          ...(platform === undefined ? [] : ['--platform', platform]),
          ...['-f', file, '--target', target, '-t', tag, ...given, context],
        ],
        { stdio: ['ignore', 'ignore', 'inherit'], timeout: BUILD_MS },
      );
    },
    addName: (tag: string, also: string): void => void run('tag', tag, also),
    /** Gives an image the name `kept`, and removes earlier images of that name with other tags. */
    keepOnly(tag: string, kept: string): void {
      run('tag', tag, kept);
      const names = run('images', '--format', '{{.Repository}}:{{.Tag}}').split('\n');
      const earlier = names.filter((name) => name !== kept && name.startsWith(kept.replace(/[^:]+$/, '')));
      for (const name of earlier) run('untag', name, name);
    },
    /** Writes images to one archive. */
    save(tags: readonly string[], file: string): void {
      const several = name === 'podman' ? ['--multi-image-archive', '--quiet'] : [];
      run('save', ...several, '--output', file, ...tags);
    },
    has: (tag: string): boolean =>
      spawnSync(name, [...own, 'image', 'inspect', tag], { stdio: 'ignore' }).status === 0,
    /** Digests, lowest first. */
    layersOf: (tag: string): string[] =>
      JSON.parse(run('image', 'inspect', '--format', '{{json .RootFS.Layers}}', tag)) as string[],
    /** Removes images, build caches, and the remains of interrupted builds. No other build may be running. */
    forget(tags: readonly string[]): void {
      const left = name === 'podman' ? run('ps', '--all', '--external', '--quiet') : '';
      if (left !== '') run('rm', '--force', ...left.split('\n'));
      if (tags.length > 0) run('rmi', '--force', ...tags);
      // Docker's store belongs to the machine.
      if (name === 'podman') run('image', 'prune', '--force');
    },
    sizeOf: (tag: string): number => Number(run('image', 'inspect', '--format', '{{.Size}}', tag)),
  };
}

function pipe(from: readonly string[], to: readonly string[]): void {
  const quoted = (words: readonly string[]) =>
    words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const script = `set -o pipefail; ${quoted(from)} | ${quoted(to)}`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from[0]} | ${to[0]} failed: ${stderr.trim()}`);
}
