import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './engine.ts';

export type Loader = 'kind' | 'docker' | 'podman';
type Command = (file: string, cluster: string) => readonly [program: string, args: readonly string[]];
const LOADERS: Readonly<Record<Loader, Command>> = {
  kind: (file, cluster) => ['kind', ['load', 'image-archive', file, '--name', cluster]],
  docker: (file) => ['docker', ['load', '--input', file]],
  podman: (file) => ['podman', ['load', '--input', file]],
};
export const loaders = Object.keys(LOADERS) as Loader[];

/** Loads images into a kind cluster, or into the machine's docker or podman. Throws with the program's error. */
export function loadImages(
  engine: Pick<Engine, 'save' | 'name'>,
  tags: readonly string[],
  loader: Loader,
  cluster: string,
): void {
  // Docker already has what it built.
  if (engine.name === 'docker' && loader === 'docker') return;
  const folder = mkdtempSync(join(tmpdir(), 'images-'));
  try {
    const file = join(folder, 'images.tar');
    engine.save(tags, file);
    const [program, args] = LOADERS[loader](file, cluster);
    const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (error) throw new Error(`cannot start ${program}: ${error.message}`);
    if (status !== 0) throw new Error(`${program} failed to load the images: ${stderr.trim()}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
