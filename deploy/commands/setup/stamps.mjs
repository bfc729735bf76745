import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, setupState } from './workspace.mjs';

/** A print of the named files' paths and contents; folders count with everything in them. */
export function printOf(paths, ...more) {
  const hash = createHash('sha256').update(JSON.stringify(more));
  for (const path of paths.flatMap(filesUnder).sort())
    hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

/** True when `step` was last done for exactly this print. */
export function isDone(step, print) {
  try {
    return readFileSync(stampFile(step), 'utf8') === print;
  } catch {
    return false;
  }
}

export function remember(step, print) {
  mkdirSync(setupState, { recursive: true });
  const draft = `${stampFile(step)}.${process.pid}`;
  writeFileSync(draft, print);
  renameSync(draft, stampFile(step));
}

/** Called before a step starts: a step that is cut short must be done again. */
export function forget(step) {
  rmSync(stampFile(step), { force: true });
}

const stampFile = (step) => join(setupState, `${step}.stamp`);

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .flatMap((entry) => filesUnder(join(path, entry.name)));
}
