import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { noteUntested } from '@supplier/lib/testing/programs';
import Results from './results.mjs';
import { describeFailures, describeUntested, failedFiles, repeatedFolder, totalsOf } from './totals.mjs';

const root = resolve(import.meta.dirname, '../../..');
let folder: string;
const before = process.env.TEST_RESULTS;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-totals-'));
});
afterEach(() => {
  process.env.TEST_RESULTS = before;
  rmSync(folder, { recursive: true });
});

/** Reports the results of a file's tests in a run; none for a file that could not run. */
function report(run: string, file: string, ...statuses: string[]) {
  process.env.TEST_RESULTS = join(folder, `${run}.jsonl`);
  new Results().onTestResult(undefined, {
    testFilePath: join(root, file),
    testResults: statuses.map((status, index) => ({ status, fullName: `test ${index + 1}` })),
    ...(statuses.length === 0 && { testExecError: new Error('a syntax error') }),
  });
}

describe('the totals of a test run', () => {
  it('add up all parts, even if one file is in two', () => {
    report('unit', 'a.test.ts', 'passed', 'pending');
    report('unit', 'b.test.ts', 'passed', 'failed');
    report('contract', 'c.test.ts', 'passed', 'todo');
    report('console', 'c.test.ts', 'passed', 'todo');
    expect(totalsOf(folder)).toEqual({ passed: 4, failed: 1, skipped: 3 });
  });

  it('count a file that could not run, and a run without results, as a failure', () => {
    expect(totalsOf(folder)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(totalsOf(join(folder, 'nowhere'))).toEqual({ passed: 0, failed: 1, skipped: 0 });
    report('unit', 'a.test.ts');
    report('unit', 'b.test.ts', 'passed');
    expect(totalsOf(folder)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it('are preceded by what was not tested, and by one command that gets it', () => {
    report('unit', 'a.test.ts', 'passed');
    expect(describeUntested(folder)).toBe('');
    noteUntested('PHP', ['php-cli', 'php-curl']);
    report('unit', 'b.test.ts', 'pending');
    noteUntested('the chart', 'install Go');
    noteUntested('PHP', ['php-cli', 'php-curl']);
    expect(describeUntested(folder)).toBe(
      'not tested here: PHP, the chart\nto test them: apt-get install -y php-cli php-curl; install Go\n',
    );
    expect(totalsOf(folder)).toEqual({ passed: 1, failed: 0, skipped: 1 });
  });

  it('are preceded by the failures and the command that repeats them', () => {
    report('unit', 'a.test.ts', 'passed');
    expect(describeFailures(folder)).toBe('');
    report('unit', 'b.test.ts', 'passed', 'failed');
    report('contract', 'c.test.ts');
    report('console', 'c.test.ts');
    expect(describeFailures(folder)).toContain('b.test.ts\n  ✕ test 2\n');
    expect(describeFailures(folder)).toContain('to repeat: npm test -- c.test.ts b.test.ts\n');
  });

  it('count a repeated file as it ended, and name it', () => {
    report('unit', 'a.test.ts', 'passed', 'failed');
    report('contract', 'b.test.ts', 'passed', 'failed');
    expect(failedFiles(folder)).toEqual(['b.test.ts', 'a.test.ts']);
    expect(failedFiles(folder, 'unit')).toEqual(['a.test.ts']);
    mkdirSync(repeatedFolder(folder));
    report('repeated/unit', 'a.test.ts', 'passed', 'passed');
    report('repeated/contract', 'b.test.ts', 'passed', 'failed');
    expect(totalsOf(folder)).toEqual({ passed: 3, failed: 1, skipped: 0 });
    expect(describeFailures(folder)).toBe(
      [
        'passed only when repeated alone:',
        'a.test.ts',
        '  ✕ test 2',
        'failed:',
        'b.test.ts',
        '  ✕ test 2',
        'to repeat: npm test -- b.test.ts',
        '',
      ].join('\n'),
    );
  });
});
