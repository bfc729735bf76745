// Prints the totals of the last `npm test` as one line: `N passed, N failed, N skipped`.
import { resultsFolder } from './results-folder.mjs';
import { totalsOf } from './totals.mjs';

const { passed, failed, skipped } = totalsOf(resultsFolder);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
