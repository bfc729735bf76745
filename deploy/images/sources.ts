import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns a digest of every file that an image may contain: all that git doesn't ignore. Undefined outside a git
 * repository.
 */
export function digestOfSources(checkout: string): string | undefined {
  const { status, stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: checkout, encoding: 'utf8', maxBuffer: 32 << 20 },
  );
  if (status !== 0) return undefined;
  const hash = createHash('sha256');
  for (const path of [...new Set(stdout.split('\0'))].filter(Boolean).sort()) {
    const found = lstatSync(join(checkout, path), { throwIfNoEntry: false });
    if (!found) continue;
    const link = found.isSymbolicLink();
    const content = link ? readlinkSync(join(checkout, path)) : readFileSync(join(checkout, path));
    hash.update(`${path}\0${link ? 'link' : found.mode & 0o111}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Returns a field of the checked-out commit; undefined outside a git repository. */
export function ofCommit(checkout: string, format: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['log', '-1', `--format=${format}`], {
    cwd: checkout,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
