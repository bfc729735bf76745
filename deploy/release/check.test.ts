import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dirtyTree, type Facts, factsOf, notIn, refusalsOf } from './check.ts';

const READY: Facts = {
  version: '1.2.0',
  chart: { version: '1.2.0', appVersion: '1.2.0' },
  changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.0 – 2026-12-01\n\n- Exports.\n',
  changed: [],
};

it.each(['1.2.0', '1.2.0-rc.1'])('%s is released when every file names it', (version) => {
  const changelog = READY.changelog.replace('1.2.0', version);
  const facts = { ...READY, version, chart: { version, appVersion: version }, changelog };
  expect(refusalsOf(facts, `v${version}`)).toEqual([]);
});

// The error, its facts, and the message.
it.each<[string, Partial<Facts>, string]>([
  ['an invalid version', { version: '1.2' }, 'package.json: the version "1.2" must be MAJOR.MINOR.PATCH'],
  [
    'a tag of another version',
    { version: '1.3.0' },
    'the tag "v1.2.0" does not match the version of package.json',
  ],
  [
    'a chart of an earlier version',
    { chart: { version: '1.1.0', appVersion: '1.2.0' } },
    'Chart.yaml: version is 1.1.0, not 1.2.0',
  ],
  [
    'a chart of an earlier app version',
    { chart: { version: '1.2.0', appVersion: '1.1.0' } },
    'appVersion is 1.1.0, not 1.2.0',
  ],
  [
    'no section',
    { changelog: '# Changelog\n\n## Unreleased\n\n- x\n' },
    'CHANGELOG.md has no section for 1.2.0: rename',
  ],
  ['an empty section', { changelog: '## 1.2.0 – 2026-12-01\n' }, 'CHANGELOG.md has no section for 1.2.0'],
  ['a section without a date', { changelog: '## 1.2.0\n\n- x\n' }, 'the heading of 1.2.0 has no date'],
  [
    'entries left under Unreleased',
    { changelog: '## Unreleased\n\n- y\n\n## 1.2.0 – 2026-12-01\n\n- x\n' },
    '"## Unreleased" is not empty',
  ],
  ['uncommitted files', { changed: [' M a.ts', '?? b.ts'] }, 'uncommitted changes: a.ts, b.ts'],
])('%s is refused with an error that names the fault', (_, facts, message) => {
  expect(refusalsOf({ ...READY, ...facts }, 'v1.2.0').join('\n')).toContain(message);
});

it('a tag is exactly v and the version', () => {
  for (const tag of ['1.2.0', 'v1.2', 'v1.2.0-rc.1', 'V1.2.0', ''])
    expect(refusalsOf(READY, tag)).toEqual([
      `the tag "${tag}" does not match the version of package.json: change the version, or use the tag v1.2.0`,
    ]);
});

describe('the facts of a checkout', () => {
  let folder = '';
  const git = (...args: string[]) => {
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.test'];
    execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'release-check-'));
    mkdirSync(join(folder, 'charts/supplier-submissions'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "version": "1.2.0" }');
    writeFileSync(
      join(folder, 'charts/supplier-submissions/Chart.yaml'),
      'version: 1.2.0\nappVersion: 1.2.0\n',
    );
    writeFileSync(join(folder, 'CHANGELOG.md'), READY.changelog);
    git('init', '--initial-branch', 'main');
    git('add', '.');
    git('commit', '--message', 'one');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are read from its files and from git', () => {
    expect(factsOf(folder)).toEqual(READY);
    writeFileSync(join(folder, 'new.ts'), '');
    expect(dirtyTree(factsOf(folder))).toEqual(['the checkout has uncommitted changes: new.ts']);
    rmSync(join(folder, 'new.ts'));
  });

  it('refuse an unmerged commit', () => {
    expect(notIn(folder, 'main')).toEqual([]);
    git('checkout', '-b', 'side');
    git('commit', '--allow-empty', '--message', 'two');
    expect(notIn(folder, 'main')).toEqual([
      'this commit is not in main: merge it, then tag the merged commit',
    ]);
    expect(notIn(folder, 'nowhere')[0]).toMatch(/^git cannot compare this commit with nowhere: /);
  });
});
