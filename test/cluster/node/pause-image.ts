import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const PAUSE = 'localhost/pause:1';
const SLEEP = '/bin/sleep';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };

/** Writes an image archive with this machine's `sleep` and its libraries; returns its path. */
export function pauseImage(folder: string): string {
  const [root, parts] = [join(folder, 'pause'), join(folder, 'pause-image')];
  const libraries = execFileSync('ldd', [SLEEP], { encoding: 'utf8' }).matchAll(/\/lib\S+/g);
  for (const file of [SLEEP, ...[...libraries].map(([path]) => path)]) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    cpSync(realpathSync(file), join(root, file));
  }
  mkdirSync(parts);
  const layer = join(parts, 'layer.tar');
  execFileSync('tar', ['-C', root, '-cf', layer, '.']);
  const digest = createHash('sha256').update(readFileSync(layer)).digest('hex');
  const config = {
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: { Entrypoint: [SLEEP, 'infinity'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  };
  writeFileSync(join(parts, 'config.json'), JSON.stringify(config));
  const manifest = [{ Config: 'config.json', RepoTags: [PAUSE], Layers: ['layer.tar'] }];
  writeFileSync(join(parts, 'manifest.json'), JSON.stringify(manifest));
  const archive = join(folder, 'pause.tar');
  execFileSync('tar', ['-C', parts, '-cf', archive, '.']);
  return archive;
}
