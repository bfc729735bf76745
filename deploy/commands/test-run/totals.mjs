import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../setup/workspace.mjs';

// As a program, prints the totals of the last `npm test` as one line.

/** The folder of the last test run's results, one file for each jest run. */
export const resultsFolder = join(root, '.run', 'test-results');

/** Adds up the results in a folder, which are lines of results.mjs. A folder without results counts as a failure. */
export function totalsOf(folder) {
  const files = resultsIn(folder).filter(({ file }) => file);
  const sumOf = (count) => files.reduce((sum, file) => sum + count(file), 0);
  return {
    passed: sumOf(({ passed }) => passed),
    failed: files.length === 0 ? 1 : sumOf(({ failures }) => failures.length),
    skipped: sumOf(({ skipped }) => skipped),
  };
}

function resultsIn(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Lists the failed tests in a folder, and the command that repeats them; empty if none failed. */
export function describeFailures(folder) {
  const failed = resultsIn(folder).filter(({ failures = [] }) => failures.length > 0);
  if (failed.length === 0) return '';
  const lines = failed.flatMap(({ file, failures }) => [file, ...failures.map((name) => `  ✕ ${name}`)]);
  const files = new Set(failed.map(({ file }) => file));
  return ['failed:', ...lines, `to repeat: npm test -- ${[...files].join(' ')}`, ''].join('\n');
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
