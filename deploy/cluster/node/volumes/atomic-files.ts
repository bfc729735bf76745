import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface VolumeFile {
  readonly content: Buffer;
  readonly mode: number;
  /** Whose it is; root's if absent. */
  readonly user?: number;
}

const CURRENT = '..data';

/**
 * Makes `folder` hold exactly these files, all changed at once: each is a link through `..data`, which is put in place of
 * the one before. They belong to `group`. Who reads several files through `..data` never sees old beside new. Paths must stay inside.
 */
export function writeAtomically(folder: string, files: ReadonlyMap<string, VolumeFile>, group: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const version = `..${randomBytes(8).toString('hex')}`;
  const target = join(folder, version);
  mkdirSync(target, { mode: 0o755 });
  for (const [path, { content, mode, user = 0 }] of files) {
    const file = join(target, inside(path));
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(file, content, { mode: 0o600 });
    chownSync(file, user, group);
    chmodSync(file, mode);
  }
  const link = join(folder, CURRENT);
  const before = existsSync(link) ? readlinkSync(link) : undefined;
  symlinkSync(version, `${link}_next`);
  renameSync(`${link}_next`, link);
  const wanted = new Set([...files.keys()].map((path) => inside(path).split('/')[0] ?? ''));
  for (const name of wanted)
    if (!lstatSync(join(folder, name), { throwIfNoEntry: false }))
      symlinkSync(join(CURRENT, name), join(folder, name));
  for (const name of readdirSync(folder))
    if (!name.startsWith('..') && !wanted.has(name)) rmSync(join(folder, name));
  if (before !== undefined) rmSync(join(folder, before), { recursive: true });
}

function inside(path: string): string {
  const clean = normalize(path);
  if (clean.startsWith('..') || clean.startsWith('/')) throw new Error(`invalid path ${path} in a volume`);
  return clean;
}
