import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The folder that Go's installer uses. */
export const GO_FOLDER = '/usr/local/go/bin';

/** Returns the first executable of this name on PATH, or in one of these further folders. */
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

export const findGo = (): string | undefined => findOnPath('go', [GO_FOLDER]);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
