import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../setup/workspace.mjs';

// As a program, prints the totals of the last `npm test` as one line.

/** The folder of the last test run's jest results, one file for each jest run. */
export const resultsFolder = join(root, '.run', 'test-results');

/**
 * Adds up the jest results in a folder. A file that can't run counts as a failure, and so does a folder without
 * results.
 */
export function totalsOf(folder) {
  const files = outputFilesIn(folder).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults);
  if (files.length === 0) return { passed: 0, failed: 1, skipped: 0 };
  return files.map(countOf).reduce((sum, one) => ({
    passed: sum.passed + one.passed,
    failed: sum.failed + one.failed,
    skipped: sum.skipped + one.skipped,
  }));
}

function countOf({ status, assertionResults }) {
  const withStatus = (...statuses) =>
    assertionResults.filter((result) => statuses.includes(result.status)).length;
  const failed = withStatus('failed');
  return {
    passed: withStatus('passed'),
    failed: status === 'failed' && failed === 0 ? 1 : failed,
    skipped: withStatus('pending', 'todo', 'skipped', 'disabled'),
  };
}

function outputFilesIn(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** `N passed, N failed, N skipped` */
export const describeTotals = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(describeTotals(totalsOf(resultsFolder)));
