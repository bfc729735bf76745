import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { FailedStep } from './run-program.mjs';
import { root } from './workspace.mjs';

const OLDEST = [22, 19];

/**
 * The Node that everything after the set-up runs on: the one that came with the packages, else the machine's own if
 * it is new enough. Throws FailedStep with one line otherwise.
 */
export function nodeRuntime() {
  const packaged = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(packaged) && runs(packaged)) return realpathSync(packaged);
  if (isNewEnough(process.versions.node)) return process.execPath;
  throw new FailedStep(
    `Node ${process.versions.node} is too old and no packaged Node fits ${process.platform}-${process.arch}: ` +
      `install Node ${OLDEST.join('.')} or later`,
  );
}

/** Flags for every Node process of ours. */
export const nodeFlags = ['--disable-warning=ExperimentalWarning'];

export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** A binary for another C library is there but does not run. */
function runs(path) {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
