import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../setup/workspace.mjs';

// As a program, prints the totals of the last `npm test` as one line.

/** The folder of the last test run's results, one file for each jest run. */
export const resultsFolder = join(root, '.run', 'test-results');

/** The folder of the results of files that failed in the run with this folder and were repeated. */
export const repeatedFolder = (folder) => join(folder, 'repeated');

/**
 * Adds up the results in a folder, which are lines of results.mjs. A repeated file counts as it ended. A folder without
 * results counts as a failure.
 */
export function totalsOf(folder) {
  const files = finalResults(folder);
  const sumOf = (count) => files.reduce((sum, file) => sum + count(file), 0);
  return {
    passed: sumOf(({ passed }) => passed),
    failed: files.length === 0 ? 1 : sumOf(({ failures }) => failures.length),
    skipped: sumOf(({ skipped }) => skipped),
  };
}

/**
 * Returns the results of the files that a run has finished, even if they failed: those without skipped tests, because
 * another machine may have what a skipped one needs.
 */
export const finishedIn = (folder, run) => finalResults(folder, run).filter(({ skipped }) => skipped === 0);

/** Adds what these runs finished in an earlier folder to the results of a later one. */
export function takeOver(earlier, later, runs) {
  for (const run of runs)
    for (const result of finishedIn(earlier, run))
      appendFileSync(join(later, `${run}.jsonl`), `${JSON.stringify(result)}\n`);
}

/** Lists the files with failed tests in a folder, or in one of its runs. */
export const failedFiles = (folder, run) => [
  ...new Set(failuresOf(resultsIn(folder, run)).map(({ file }) => file)),
];

const failuresOf = (results) => results.filter(({ failures = [] }) => failures.length > 0);

/** Returns the results of files, with those of the repetition in place of what failed. */
function finalResults(folder, run) {
  const repeated = resultsIn(repeatedFolder(folder), run).filter(({ file }) => file);
  const isRepeated = new Set(repeated.map(({ file }) => file));
  const first = resultsIn(folder, run).filter(({ file }) => file);
  const kept = first.filter(({ file, failures }) => failures.length === 0 || !isRepeated.has(file));
  return [...kept, ...repeated];
}

function resultsIn(folder, run) {
  try {
    return readdirSync(folder)
      .filter((name) => (run ? name === `${run}.jsonl` : name.endsWith('.jsonl')))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Lists the failed tests in a folder with the command that repeats them, and those that passed only when they were
 * repeated; empty if none failed.
 */
export function describeFailures(folder) {
  const failed = failuresOf(finalResults(folder));
  const stillFails = new Set(failed.map(({ file }) => file));
  const unsteady = failuresOf(resultsIn(folder)).filter(({ file }) => !stillFails.has(file));
  const list = (results) =>
    results.flatMap(({ file, failures }) => [file, ...failures.map((name) => `  ✕ ${name}`)]);
  return [
    ...(unsteady.length > 0 ? ['passed only when repeated alone:', ...list(unsteady)] : []),
    ...(failed.length > 0
      ? ['failed:', ...list(failed), `to repeat: npm test -- ${[...stillFails].join(' ')}`]
      : []),
    '',
  ].join('\n');
}

/** Says in one line each what was not tested, and how to get what it needs; empty if all was. */
export function describeUntested(folder) {
  const untested = resultsIn(folder).filter(({ untested }) => untested);
  if (untested.length === 0) return '';
  const listOf = (items) => [...new Set(items)].join(', ');
  const packages = new Set(untested.flatMap(({ toGet }) => (Array.isArray(toGet) ? toGet : [])));
  const advice = new Set(untested.flatMap(({ toGet }) => (Array.isArray(toGet) ? [] : [toGet])));
  const ways = [...(packages.size > 0 ? [`apt-get install -y ${[...packages].join(' ')}`] : []), ...advice];
  return `not tested here: ${listOf(untested.map((one) => one.untested))}\nto test them: ${ways.join('; ')}\n`;
}

/** `N passed, N failed, N skipped` */
export const describeTotals = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(describeTotals(totalsOf(resultsFolder)));
