import { join } from 'node:path';
import { root } from '../setup/workspace.mjs';

/** Where jest's results of the last test run lie, one file for each of its runs. */
export const resultsFolder = join(root, '.run', 'test-results');
