import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Adds up the jest results in folders. A test file that could not be run at all counts as one failure.
 * A folder without any result counts as one failure too: nothing ran.
 */
export function totalsOf(...folders) {
  return folders.map(totalsOfOne).reduce((sum, one) => ({
    passed: sum.passed + one.passed,
    failed: sum.failed + one.failed,
    skipped: sum.skipped + one.skipped,
  }));
}

function totalsOfOne(folder) {
  const results = resultFiles(folder).map((path) => JSON.parse(readFileSync(path, 'utf8')));
  const none = { passed: 0, failed: results.length === 0 ? 1 : 0, skipped: 0 };
  return results.reduce(
    (sum, result) => ({
      passed: sum.passed + result.numPassedTests,
      failed: sum.failed + result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: sum.skipped + result.numPendingTests + result.numTodoTests,
    }),
    none,
  );
}

function resultFiles(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
