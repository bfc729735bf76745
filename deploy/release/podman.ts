import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeIn } from '../images/engine.ts';

const PUSH_MS = 600_000;

export interface Destination {
  /** HOST/PATH:TAG */
  readonly name: string;
  readonly plainHttp: boolean;
}

/** Pushes images, one for each platform, under one name, and returns the digest of their list. */
export function pushAsOne(folder: string, tags: readonly string[], { name, plainHttp }: Destination): string {
  const list = `localhost/pushed-${process.pid}`;
  const work = mkdtempSync(join(tmpdir(), 'pushed-'));
  const digestFile = join(work, 'digest');
  podman(folder, 'manifest', 'create', list);
  try {
    for (const tag of tags) podman(folder, 'manifest', 'add', list, `containers-storage:${tag}`);
    const { manifests } = JSON.parse(podman(folder, 'manifest', 'inspect', list)) as { manifests: unknown[] };
    if (manifests.length !== tags.length)
      throw new Error(`expected one image for each platform: ${tags.join(', ')}`);
    const tls = plainHttp ? ['--tls-verify=false'] : [];
    const flags = ['--all', '--quiet', '--digestfile', digestFile, ...tls];
    podman(folder, 'manifest', 'push', ...flags, list, `docker://${name}`);
    return readFileSync(digestFile, 'utf8').trim();
  } catch (error) {
    throw new Error(`cannot push ${name}: ${error instanceof Error ? error.message : error}`);
  } finally {
    podman(folder, 'manifest', 'rm', list);
    rmSync(work, { recursive: true, force: true });
  }
}

/** Copies a file from an image of any platform. */
export function copyOut(folder: string, tag: string, path: string, to: string): void {
  const container = podman(folder, 'create', '--network', 'none', tag);
  try {
    podman(folder, 'cp', `${container}:${path}`, to);
  } finally {
    podman(folder, 'rm', container);
  }
}

const podman = (folder: string, ...args: string[]) =>
  execFileSync('podman', [...storeIn(folder), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PUSH_MS,
  }).trim();
