import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folderOf = (folder: string) => join(folder, 'tokens');
const pathOf = (folder: string, key: string) => join(folderOf(folder), key);

/** Stores a token of `sss login` in a file that only its owner can read. */
export function storeToken(folder: string, key: string, token: string): void {
  mkdirSync(folderOf(folder), { recursive: true, mode: 0o700 });
  const staged = `${pathOf(folder, key)}.${process.pid}`;
  writeFileSync(staged, `${token}\n`, { mode: 0o600 });
  renameSync(staged, pathOf(folder, key));
}

/** Returns the token stored for a context, or undefined if there is none. */
export function readStoredToken(folder: string, key: string): string | undefined {
  try {
    return readFileSync(pathOf(folder, key), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Deletes a token. Returns whether there was one. */
export function forgetToken(folder: string, key: string): boolean {
  const had = readStoredToken(folder, key) !== undefined;
  rmSync(pathOf(folder, key), { force: true });
  return had;
}
