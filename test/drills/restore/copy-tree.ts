import { copyFileSync, lstatSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../../../deploy/local/state/system-error.ts';

export interface CopyOptions {
  /** Returns whether to skip a file, or the content of a folder; the path is relative to the top, with `/`. */
  readonly leavesOut?: (path: string) => boolean;
  /** Called with the path of every folder and file created. */
  readonly made?: (path: string) => void;
}

/**
 * Copies folders and files while others change them; files that disappear meanwhile are skipped. Returns the number of
 * bytes copied.
 */
export function copyTree(from: string, to: string, options: CopyOptions = {}, path = ''): number {
  const { leavesOut = () => false, made = () => undefined } = options;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  made(to);
  let bytes = 0;
  for (const entry of unlessGone(() => readdirSync(from, { withFileTypes: true })) ?? []) {
    const inside = path === '' ? entry.name : `${path}/${entry.name}`;
    if (leavesOut(inside)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      bytes += copyTree(source, target, options, inside);
      continue;
    }
    const copied = unlessGone(() => {
      copyFileSync(source, target);
      return lstatSync(source);
    });
    if (!copied) continue;
    utimesSync(target, copied.atime, copied.mtime);
    made(target);
    bytes += copied.size;
  }
  return bytes;
}

function unlessGone<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}
