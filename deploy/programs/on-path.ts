import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable of this name on PATH, or in one of these further folders. */
export function findOnPath(
  name: string,
  further: readonly string[] = [],
  path = process.env.PATH ?? '',
): string | undefined {
  return [...path.split(delimiter), ...further]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** The machine's Go. Throws where there is none. */
export function requireGo(): string {
  const go = findGo();
  if (!go) throw new Error('Go is neither on PATH nor in /usr/local/go: https://go.dev/doc/install');
  return go;
}

export const findGo = (): string | undefined => findOnPath('go', ['/usr/local/go/bin']);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
