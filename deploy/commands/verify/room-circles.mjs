import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { verdictOf, verdictOfRun } from './verdict.mjs';

const SOURCES = /^services\/(?!lib\/)[^/]+\/src\/.*(?<!\.test)\.ts$/;

/**
 * Finds rooms of a service that import each other, directly or through others; a room is a folder of `src`, or a file
 * beside the folders. Imports of types count, because such rooms can only be read together.
 */
export async function roomsFormNoCircle({ root, env }) {
  const listed = await observeProgram('git', ['ls-files', 'services'], { cwd: root, env });
  if (listed.code !== 0) return verdictOfRun(listed);
  const imports = new Map();
  for (const path of listed.output.split('\n').filter((path) => SOURCES.test(path))) {
    for (const [, target] of textOf(join(root, path)).matchAll(/\bfrom '(\.[^']+)'/g)) {
      const [from, to] = [roomOf(path), roomOf(join(path, '..', target))];
      if (from !== to) imports.set(from, new Set([...(imports.get(from) ?? []), to]));
    }
  }
  const circles = [...imports].flatMap(([room, targets]) =>
    [...targets]
      .filter((target) => reachedFrom(target, imports).has(room))
      .map((target) => `${room} imports ${target}, which imports it, directly or through others`),
  );
  return verdictOf(circles);
}

const roomOf = (path) => path.split('/', 4).join('/');

/** Returns a deleted file that is still tracked as empty. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function reachedFrom(room, imports) {
  const reached = new Set([room]);
  // A set visits what is added meanwhile.
  for (const one of reached) for (const next of imports.get(one) ?? []) reached.add(next);
  return reached;
}
