import { copyFileSync, lstatSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../../../deploy/local/state/system-error.ts';

export interface CopyOptions {
  /** Path of what is not copied, relative to the top and with `/`, or of a folder whose content is not. */
  readonly leavesOut?: (path: string) => boolean;
  /** Called with the path of every folder and file that was made. */
  readonly made?: (path: string) => void;
}

/**
 * Copies folders and files while others change them: what vanishes meanwhile is left out. Resolves to the bytes copied.
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
