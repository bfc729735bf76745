import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { repeatedFolder, takeOver, totalsOf } from './totals.mjs';

const ROOT = resolve(import.meta.dirname, '../../..');
const HERE = 'deploy/commands/test-run';
const FILES = ['bounds', 'limits', 'plan', 'totals', 'unfinished'].map((name) => `${HERE}/${name}.test.ts`);

let earlier: string;
beforeEach(() => {
  earlier = mkdtempSync(join(tmpdir(), 'earlier-'));
  mkdirSync(repeatedFolder(earlier));
  const [bounds, limits, plan, totals] = FILES;
  write(earlier, [
    { file: bounds, passed: 2, failures: [], skipped: 0 },
    { file: limits, passed: 1, failures: [], skipped: 1 },
    { file: plan, passed: 3, failures: ['a test'], skipped: 0 },
    { file: totals, passed: 4, failures: ['a test'], skipped: 0 },
    { untested: 'PHP', toGet: ['php-cli'] },
  ]);
  write(repeatedFolder(earlier), [{ file: totals, passed: 5, failures: [], skipped: 0 }]);
});
afterEach(() => rmSync(earlier, { recursive: true }));

const write = (folder: string, lines: readonly object[]) =>
  writeFileSync(join(folder, 'unit.jsonl'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);

/** Returns the files of this folder that jest would run. */
function chosenBy(run: string) {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const filter = join(import.meta.dirname, 'unfinished.mjs');
  const args = [jest, '--listTests', '--selectProjects', 'tooling', '--filter', filter, `${HERE}/`];
  const env = { ...process.env, TEST_EARLIER: earlier, TEST_RUN: run };
  const listed = execFileSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
  return FILES.filter((file) => listed.includes(file));
}

describe('a run that completes an earlier one', () => {
  it('runs files that have no results or skipped tests, but none that failed', () => {
    const [, limits, , , unfinished] = FILES;
    expect(chosenBy('unit')).toEqual([limits, unfinished]);
  });

  it('runs every file of a run that the earlier one did not have', () => {
    expect(chosenBy('console')).toEqual(FILES);
  });

  it('adds the results of the files that it leaves out, as they ended', () => {
    const later = mkdtempSync(join(tmpdir(), 'later-'));
    write(later, [{ file: FILES[1], passed: 2, failures: [], skipped: 0 }]);
    takeOver(earlier, later, ['unit', 'contract']);
    expect(totalsOf(later)).toEqual({ passed: 2 + 3 + 5 + 2, failed: 1, skipped: 0 });
    rmSync(later, { recursive: true });
  });
});
