import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { totalsOf } from './totals.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-totals-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes jest's results of a run: the results of each file's tests; none for a file that could not run. */
function write(name: string, files: Readonly<Record<string, readonly string[]>>) {
  const testResults = Object.entries(files).map(([file, results]) => ({
    name: file,
    status: results.length === 0 || results.includes('failed') ? 'failed' : 'passed',
    assertionResults: results.map((status) => ({ status })),
  }));
  writeFileSync(join(folder, name), JSON.stringify({ testResults }));
}

describe('the totals of a test run', () => {
  it('add up all parts, even if one file is in two', () => {
    write('unit.json', { '/a.test.ts': ['passed', 'pending'], '/b.test.ts': ['passed', 'failed'] });
    write('contract.json', { '/c.test.ts': ['passed', 'todo'] });
    write('contract-tls.json', { '/c.test.ts': ['passed', 'todo'] });

    expect(totalsOf(folder)).toEqual({ passed: 4, failed: 1, skipped: 3 });
  });

  it('count a file that could not run as a failure', () => {
    write('unit.json', { '/a.test.ts': [], '/b.test.ts': ['passed'] });

    expect(totalsOf(folder)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it('count a run without results as a failure', () => {
    const nowhere = join(folder, 'nowhere');

    expect(totalsOf(nowhere)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    mkdirSync(nowhere);
    expect(totalsOf(nowhere)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
