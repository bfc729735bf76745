import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { changedSince, testsReachedBy } from './changed.mjs';

const root = resolve(import.meta.dirname, '../../..');
const machine = { root, node: process.execPath, nodeFlags: [], env: process.env };
const reachedBy = async (...files: string[]) => (await testsReachedBy(machine, files)).tests;

describe('the files changed since a branch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'changed-'));
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
  const commit = (...names: string[]) => {
    for (const name of names) writeFileSync(join(folder, name), name);
    git('add', '.');
    git('commit', '--message', names.join());
  };
  beforeAll(() => {
    git('init', '--initial-branch', 'main');
    commit('old', 'edited', 'deleted');
    git('checkout', '-b', 'mine');
    commit('committed');
    git('checkout', 'main');
    commit('of-others');
    git('checkout', 'mine');
    writeFileSync(join(folder, 'edited'), 'anew');
    writeFileSync(join(folder, 'untracked'), '');
    rmSync(join(folder, 'deleted'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('include committed and uncommitted changes, but no commits of others', async () => {
    expect(await changedSince('main', folder)).toEqual(['committed', 'deleted', 'edited', 'untracked']);
    expect(await changedSince('HEAD', folder)).toEqual(['deleted', 'edited', 'untracked']);
  });

  it('need a branch that git knows', async () => {
    await expect(changedSince('services/billing', folder)).rejects.toThrow('name a commit or a branch');
  });
});

describe('the tests that a change can reach', () => {
  it('include those that import it, also through packages of the workspace', async () => {
    const tests = await reachedBy('services/lib/text/csv/index.ts');
    expect(tests).toEqual(
      expect.arrayContaining([
        'services/lib/text/csv/csv.test.ts',
        expect.stringMatching(/^services\/staff-cli\//),
      ]),
    );
    expect(tests.filter((test) => test.startsWith('services/billing/'))).toEqual([]);
  });

  it('include contract tests of the same RPC or area after a change of a story, and no long tests', async () => {
    const { tests, line } = await testsReachedBy(machine, [
      'services/submission/src/promote/promote-submission.ts',
    ]);
    expect(tests).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^services\/submission\/src\/promote\//),
        'test/contract/promote-submission/409-concurrent-promotion.test.ts',
      ]),
    );
    expect(tests.filter((test) => /^test\/(?!contract)|^services\/webhook/.test(test))).toEqual([]);
    expect(await reachedBy('test/e2e/main-job.test.ts')).toContain('test/e2e/main-job.test.ts');
    expect(line).toMatch(/^\d+ test files \(\d+ by imports, .*\d+ by area\)$/);
    expect(await reachedBy('services/billing/src/statements/statements.sql.ts')).toContain(
      'test/contract/billing/by-model.test.ts',
    );
  });

  it('include the browser tests of a screen after a change of that screen', async () => {
    const tests = await reachedBy('services/console/web/src/screens/policy/policy.tsx');
    expect(tests).toEqual(['test/console/policies.test.ts']);
  });

  it('are found for contracts, schemas, charts and other files through generated code and code that names them', async () => {
    expect(await reachedBy('proto/supplier/billing/v1/billing.proto')).toContain(
      'test/contract/billing/by-model.test.ts',
    );
    expect(await reachedBy('services/billing/prisma/schema.prisma')).toContain(
      'services/billing/src/statements/statements.test.ts',
    );
    expect(await reachedBy('charts/supplier-submissions/templates/NOTES.txt')).toContain(
      'charts/tests/golden.test.ts',
    );
    expect(await reachedBy('.github/workflows/ci.yml')).toContain('deploy/commands/test-run/limits.test.ts');
  });

  it('are all after a change of the packages', async () => {
    expect(await testsReachedBy(machine, ['pnpm-lock.yaml'])).toEqual({
      tests: [],
      line: '0 test files; pnpm-lock.yaml affects all tests',
    });
  });
});
