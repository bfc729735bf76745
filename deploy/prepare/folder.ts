import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { takeLockFile } from '../local/state/lock-file.mjs';
import { readIfPresent, writePrivateFile } from '../local/state/private-file.ts';
import { type Prepared, preparedSchema } from './prepared.ts';

/** The source of all other files, with the keys to sealed data. */
const TRUTH = 'prepared.json';

/** Reads an earlier preparation; undefined if there is none. Throws if the file was changed. */
export function readPrepared(folder: string): Prepared | undefined {
  const path = join(folder, TRUTH);
  const text = readIfPresent(path);
  if (text === undefined) return undefined;
  try {
    return preparedSchema.parse(JSON.parse(text));
  } catch (error) {
    const where = error instanceof z.ZodError ? ` (${error.issues[0]?.path.join('.')})` : '';
    // The parser's message would repeat secrets.
    throw new Error(
      `${path} is not what was written there${where}: restore it from a copy, or use another folder`,
    );
  }
}

/** Compares files with those in the folder. */
export function changesIn(folder: string, files: Readonly<Record<string, string>>): FileChange[] {
  return Object.entries(files).map(([name, text]) => {
    const present = readIfPresent(join(folder, name));
    return { name, change: present === undefined ? 'new' : present === text ? 'same' : 'changes' };
  });
}
export interface FileChange {
  readonly name: string;
  readonly change: 'new' | 'changes' | 'same';
}

/**
 * Writes new and changed files, readable only by their owner; prepared.json first, so that the command can be repeated
 * after a kill.
 */
export function writePrepared(
  folder: string,
  prepared: Prepared,
  files: Readonly<Record<string, string>>,
): void {
  const all: Readonly<Record<string, string>> = {
    [TRUTH]: `${JSON.stringify(prepared, undefined, 2)}\n`,
    ...files,
  };
  for (const { name, change } of changesIn(folder, all))
    if (change !== 'same') writePrivateFile(join(folder, name), all[name] ?? '');
}

/** Runs `work` under the folder's lock. Throws if another process has it. */
export async function alone<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = takeLockFile(join(folder, '.lock'));
  if (!('release' in lock)) throw new Error(`${folder} is being written by another process: try again`);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
