import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/** A folder that only its owner can read. Existing files in it are never overwritten. */
export interface ExportFolder {
  write(name: string, bytes: string | Uint8Array): void;
  /** Deletes the folder and everything written to it. */
  remove(): void;
}

/** Creates the folder. Throws a CommandFailure if it exists and is not empty. */
export function openExportFolder(path: string): ExportFolder {
  try {
    if (!statSync(path).isDirectory())
      throw new CommandFailure(exitCodes.usage, `${path} is not a directory: give a new one with --out`);
    if (readdirSync(path).length > 0)
      throw new CommandFailure(exitCodes.usage, `${path} is not empty: give a new directory with --out`);
    if ((statSync(path).mode & 0o077) !== 0)
      throw new CommandFailure(
        exitCodes.usage,
        `other users can read ${path}: give a new directory with --out`,
      );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    make(path);
  }
  return {
    write: (name, bytes) => {
      const file = join(path, name);
      mkdirSync(join(file, '..'), { recursive: true, mode: OWNER_ONLY.folder });
      writeFileSync(file, bytes, { flag: 'wx', mode: OWNER_ONLY.file });
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function make(path: string): void {
  try {
    mkdirSync(path, { mode: OWNER_ONLY.folder });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      exitCodes.usage,
      `cannot create ${path} (${code}): its parent must exist and be writable`,
    );
  }
}
