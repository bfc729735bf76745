// Plain JavaScript, because needs.mjs uses it before anything is installed.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The folder that Go's installer uses. */
export const GO_FOLDER = '/usr/local/go/bin';

/** Returns the first executable of this name on PATH, or in one of these further folders. */
export const findOnPath = (name, further = [], path = process.env.PATH ?? '') =>
  [...path.split(delimiter), ...further]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);

export const findGo = () => findOnPath('go', [GO_FOLDER]);

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
