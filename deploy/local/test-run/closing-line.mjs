// Prints the totals of the last `npm test` as one line: `N passed, N failed, N skipped`.
import { join } from 'node:path';
import { root } from '../setup/workspace.mjs';
import { totalsOf } from './totals.mjs';

const { passed, failed, skipped } = totalsOf(join(root, '.run', 'test-results'));
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
