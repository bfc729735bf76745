import { join } from 'node:path';
import { root } from '../setup/workspace.mjs';

/** Where jest's results of a run lie: the stack whose parts talk over TLS has a folder of its own. */
export const resultsFolder = ({ secure }) => join(root, '.run', 'test-results', secure ? 'secure' : 'plain');
