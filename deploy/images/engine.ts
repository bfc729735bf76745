import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export interface BuildOptions {
  readonly target: string;
  readonly tag: string;
  readonly args: Readonly<Record<string, string>>;
  readonly checkout: string;
}

/** What builds images: podman or docker. */
export interface Engine {
  readonly name: string;
  /** Makes an image of one layer of a folder, with an environment for what runs in it. */
  importFolder(folder: string, tag: string, env?: Readonly<Record<string, string>>): void;
  build(options: BuildOptions): void;
  sizeOf(tag: string): number;
  /** Unpacks an image's files into `folder`. */
  unpack(tag: string, folder: string): void;
}

/** The engine by its name. `folder` is where podman keeps its images, so that nothing of a trial stays on the machine. */
export function engineOf(name: 'podman' | 'docker', folder: string): Engine {
  const own = name === 'podman' ? ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')] : [];
  const run = (...args: string[]) =>
    execFileSync(name, [...own, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  // Namespaces of its own are not to be had everywhere where podman builds; a change of root is.
  const isolation = name === 'podman' ? ['--isolation', 'chroot'] : [];
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
    build({ target, tag, args, checkout }) {
      const given = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
      const file = ['-f', join(checkout, 'deploy/Dockerfile')];
      execFileSync(
        name,
        [...own, 'build', ...isolation, ...file, '--target', target, '-t', tag, ...given, checkout],
        { stdio: ['ignore', 'ignore', 'inherit'] },
      );
    },
    sizeOf: (tag) => Number(run('image', 'inspect', '--format', '{{.Size}}', tag)),
    unpack(tag, to) {
      mkdirSync(to, { recursive: true });
      const container = run('create', tag);
      try {
        pipe([name, ...own, 'export', container], ['tar', '-C', to, '-x']);
      } finally {
        run('rm', container);
      }
    },
  };
}

function pipe(from: readonly string[], to: readonly string[]): void {
  const quoted = (words: readonly string[]) =>
    words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const script = `set -o pipefail; ${quoted(from)} | ${quoted(to)}`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from[0]} | ${to[0]} failed: ${stderr.trim()}`);
}
