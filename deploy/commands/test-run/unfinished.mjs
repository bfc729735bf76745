import { join } from 'node:path';
import { root } from '../setup/workspace.mjs';
import { finishedIn } from './totals.mjs';

/** Leaves out the files that a run of this name finished earlier. For `--filter` of jest, which requires this module. */
export function unfinished(paths) {
  const { TEST_EARLIER, TEST_RUN } = process.env;
  const finished = new Set(finishedIn(TEST_EARLIER, TEST_RUN).map(({ file }) => join(root, file)));
  return { filtered: paths.filter((path) => !finished.has(path)) };
}

export { unfinished as 'module.exports' };
