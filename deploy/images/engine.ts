import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface BuildOptions {
  readonly target: string;
  readonly tag: string;
  readonly args: Readonly<Record<string, string>>;
  readonly file: string;
  /** The folder that it may copy from. */
  readonly context: string;
  /** Seconds since 1970 that files and images are dated with. */
  readonly date: number;
  /** `linux/arm64`, … ; the machine's own where it is not given. */
  readonly platform?: string | undefined;
}

/** What builds images: podman or docker. */
export interface Engine {
  readonly name: string;
  /** Makes an image of one layer of a folder, with an environment for what runs in it. */
  importFolder(folder: string, tag: string, env?: Readonly<Record<string, string>>): void;
  build(options: BuildOptions): void;
  /** Gives an image one more name. */
  addName(tag: string, also: string): void;
  /** Gives an image a name by which it is kept, and takes that of earlier ones away: `kept` without its tag is theirs, too. */
  keepOnly(tag: string, kept: string): void;
  /** Writes images, and the layers that they share once, to one file. */
  save(tags: readonly string[], file: string): void;
  has(tag: string): boolean;
  sizeOf(tag: string): number;
  /** The digests of its layers, the lowest first. */
  layersOf(tag: string): string[];
  /** Forgets images, what was kept to build them sooner, and what interrupted builds left. Nobody else may be building. */
  forget(tags: readonly string[]): void;
}

/** Everything is built at once within it, with an idle machine in a quarter of it. */
const BUILD_MS = 900_000;

/** Where podman keeps images below `folder`, apart from those of the machine. */
export const storeIn = (folder: string) => [
  ...['--root', join(folder, 'store')],
  ...['--runroot', join(folder, 'run')],
];

export const OWN_PLATFORM = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** The engine by its name. `folder` is where podman keeps its images, apart from those of the machine. */
export function engineOf(name: 'podman' | 'docker', folder: string): Engine {
  const own = name === 'podman' ? storeIn(folder) : [];
  const run = (...args: string[]) =>
    execFileSync(name, [...own, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  // Namespaces of its own are not to be had everywhere where podman builds; a change of root is.
  const isolation = name === 'podman' ? ['--isolation', 'chroot'] : [];
  // Docker's builder takes the time from SOURCE_DATE_EPOCH.
  const dated = (date: number) => (name === 'podman' ? ['--timestamp', String(date)] : []);
  return {
    name,
    importFolder(from, tag, env = {}) {
      const changes = Object.entries(env).flatMap(([key, value]) => ['--change', `ENV ${key}=${value}`]);
      // One owner and one time: the same files give the same layer.
      pipe(
        ['tar', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-C', from, '-c', '.'],
        [name, ...own, 'import', ...changes, '-', tag],
      );
    },
    build({ target, tag, args, file, context, date, platform }) {
      // Podman 4.3 does not know its own platform by the name that Dockerfiles have for it.
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
    addName: (tag, also) => void run('tag', tag, also),
    keepOnly(tag, kept) {
      run('tag', tag, kept);
      const names = run('images', '--format', '{{.Repository}}:{{.Tag}}').split('\n');
      const earlier = names.filter((name) => name !== kept && name.startsWith(kept.replace(/[^:]+$/, '')));
      for (const name of earlier) run('untag', name, name);
    },
    save(tags, file) {
      // Docker puts several into one without being asked.
      const several = name === 'podman' ? ['--multi-image-archive', '--quiet'] : [];
      run('save', ...several, '--output', file, ...tags);
    },
    has: (tag) => spawnSync(name, [...own, 'image', 'inspect', tag], { stdio: 'ignore' }).status === 0,
    layersOf: (tag) =>
      JSON.parse(run('image', 'inspect', '--format', '{{json .RootFS.Layers}}', tag)) as string[],
    forget(tags) {
      // Docker's containers are the machine's, and its builder leaves none.
      const left = name === 'podman' ? run('ps', '--all', '--external', '--quiet') : '';
      if (left !== '') run('rm', '--force', ...left.split('\n'));
      if (tags.length > 0) run('rmi', '--force', ...tags);
      // A store of its own; docker's is the machine's, where nothing of others is touched.
      if (name === 'podman') run('image', 'prune', '--force');
    },
    sizeOf: (tag) => Number(run('image', 'inspect', '--format', '{{.Size}}', tag)),
  };
}

function pipe(from: readonly string[], to: readonly string[]): void {
  const quoted = (words: readonly string[]) =>
    words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const script = `set -o pipefail; ${quoted(from)} | ${quoted(to)}`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from[0]} | ${to[0]} failed: ${stderr.trim()}`);
}
