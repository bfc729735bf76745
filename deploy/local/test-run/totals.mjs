import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Adds up the jest results in folders. A test file that could not be run at all counts as one failure, and of one that was
 * run again its last run counts. A folder without any result counts as one failure too: nothing ran.
 */
export function totalsOf(...folders) {
  return folders.flatMap(countsOf).reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** The test files that failed in the results that jest wrote to `outputFile`; none where it wrote nothing. */
export function failedFiles(outputFile) {
  return filesOf(outputFile)
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name);
}

/** One count for each test file of the folder. */
function countsOf(folder) {
  const outputFiles = outputFilesIn(folder);
  if (outputFiles.length === 0) return [{ passed: 0, failed: 1, skipped: 0 }];
  const lastRuns = new Map(outputFiles.flatMap(filesOf).map((file) => [file.name, file]));
  return [...lastRuns.values()].map(countOf);
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

/** Sorted so that what was run again comes after the run that it repeats: `unit.json`, `unit.second-try.json`. */
function outputFilesIn(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort((a, b) => a.length - b.length)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function filesOf(outputFile) {
  try {
    return JSON.parse(readFileSync(outputFile, 'utf8')).testResults;
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
