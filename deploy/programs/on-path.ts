import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Go's installer puts it. */
export const GO_FOLDER = '/usr/local/go/bin';

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

export const findGo = (): string | undefined => findOnPath('go', [GO_FOLDER]);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
