// Prints the totals of the last `npm test` on each kind of stack as one line: `N passed, N failed, N skipped`.
import { existsSync } from 'node:fs';
import { resultsFolder } from './results-folder.mjs';
import { totalsOf } from './totals.mjs';

const secure = resultsFolder({ secure: true });
const { passed, failed, skipped } = totalsOf(
  resultsFolder({ secure: false }),
  ...(existsSync(secure) ? [secure] : []),
);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
