import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isTested } from '@supplier/lib/testing/programs';
import { parse } from 'yaml';
import { actionlint } from '../programs/tools.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const WORKFLOWS = join(CHECKOUT, '.github/workflows');

interface Job {
  readonly permissions?: Record<string, string>;
  readonly needs?: string;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly {
    readonly name?: string;
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Record<string, unknown>;
  }[];
}
const release = parse(readFileSync(join(WORKFLOWS, 'release.yml'), 'utf8')) as {
  permissions: object;
  jobs: Record<string, Job>;
};
const dependabot = parse(readFileSync(join(CHECKOUT, '.github/dependabot.yml'), 'utf8')) as {
  updates: { 'package-ecosystem': string; cooldown?: { 'default-days'?: number } }[];
};
const pnpm = parse(readFileSync(join(CHECKOUT, 'pnpm-workspace.yaml'), 'utf8')) as {
  minimumReleaseAge: number;
};
const jobs = Object.entries(release.jobs);
const uses = ({ steps }: Job, action: string) => steps.some((step) => step.uses?.startsWith(`${action}@`));
const runs = ({ steps }: Job) => steps.map(({ run = '' }) => run).join('\n');

describe('the release', () => {
  it('gives each job its own permissions, and a timeout', () => {
    expect(release.permissions).toEqual({});
    for (const [, job] of jobs) {
      expect(job.permissions).toBeDefined();
      expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
  });

  it('lets no job sign or publish that runs code of the project or of its packages', () => {
    const trusted = jobs.filter(
      ([, { permissions = {} }]) => permissions['id-token'] === 'write' || permissions.contents === 'write',
    );
    expect(trusted.map(([name]) => name).sort()).toEqual(['publish', 'sign-chart', 'sign-images']);
    for (const [, job] of trusted) {
      expect(uses(job, 'actions/checkout')).toBe(false);
      expect(runs(job)).not.toMatch(/\b(?:npm|node)\b/);
    }
  });

  it('pushes what was checked, packages what was signed, and publishes at the end', () => {
    const order = Object.fromEntries(jobs.map(([name, { needs }]) => [name, needs]));
    expect(order).toEqual({
      ...{ check: undefined, images: 'check', 'sign-images': 'images' },
      ...{ chart: 'sign-images', 'sign-chart': 'chart', publish: 'sign-chart' },
    });
  });

  it.each([
    ['no run', [], 1],
    ['a green run of a push to main', [{}], 0],
    ['a green run of a pull request', [{ event: 'pull_request' }], 1],
    [
      'a green run of a pull request from a branch called main',
      [{ event: 'pull_request', branch: 'main' }],
      1,
    ],
    ['a green run of a push to another branch', [{ branch: 'feature' }], 1],
    ['a green run that was started manually', [{ event: 'workflow_dispatch' }], 1],
    ['a red run of a push to main', [{ status: 'failure' }], 1],
    ['a green run of another commit', [{ commit: 'other' }], 1],
    ['a green run of another workflow', [{ workflow: 'nightly.yml' }], 1],
    ['a green and a red run of a push to main', [{}, { status: 'failure' }], 0],
  ])('requires CI to have passed on main: %s', (_, runs, status) => {
    const check = release.jobs.check?.steps.find(({ name }) => name === 'CI passed on this commit on main');
    const folder = mkdtempSync(join(tmpdir(), 'ci-runs-'));
    try {
      const all = runs.map((run) => ({ ...GREEN, ...run }));
      writeFileSync(join(folder, 'runs.json'), JSON.stringify(all));
      writeFileSync(join(folder, 'gh'), `#!${process.execPath}\n${GH_RUN_LIST}`, { mode: 0o755 });
      const env = {
        PATH: `${folder}:${process.env.PATH}`,
        RUNS: join(folder, 'runs.json'),
        GITHUB_REPOSITORY: 'owner/name',
        GITHUB_SHA: GREEN.commit,
      };
      const done = spawnSync('bash', ['-e', '-c', check?.run ?? 'exit 99'], {
        ...{ env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
      });
      expect({ status: done.status, stderr: done.stderr }).toEqual({
        status,
        stderr: status === 0 ? '' : expect.stringMatching(/^refused: CI has not passed on .* main/),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('restores no package cache, which another workflow could have filled', () => {
    const setUps = jobs.flatMap(([, { steps }]) =>
      steps.filter(({ uses = '' }) => /^actions\/(?:setup-|cache)/.test(uses)),
    );
    expect(setUps.length).toBeGreaterThan(3);
    for (const { uses = '', with: inputs = {} } of setUps) {
      expect(uses).not.toMatch(/^actions\/cache/);
      // Node's npm cache is on by default; Go's module and build caches are too.
      if (uses.startsWith('actions/setup-node@')) {
        expect(inputs).toMatchObject({ 'package-manager-cache': false });
        expect(inputs.cache).toBeUndefined();
      } else expect(inputs).toMatchObject({ cache: false });
    }
  });

  it('runs every step of the command, with known flags', () => {
    const calls = jobs.flatMap(([, job]) => [
      ...runs(job).matchAll(/npm run --silent release -- (\w+)([^\n>]*)/g),
    ]);
    expect(calls.map(([, step]) => step).sort()).toEqual(['chart', 'check', 'notes', 'push']);
    const bootstrap = join(CHECKOUT, 'deploy/commands/bootstrap.mjs');
    const help = execFileSync(process.execPath, [bootstrap, 'release', '--help'], { encoding: 'utf8' });
    for (const [, step, flags = ''] of calls) {
      expect(help).toContain(`\n  ${step} `);
      for (const [flag] of flags.matchAll(/--[a-z-]+/g)) expect(help).toContain(`\n  ${flag} `);
    }
  });

  it('names in a tag comment which action version each digest is', () => {
    for (const file of readdirSync(WORKFLOWS))
      for (const [line] of readFileSync(join(WORKFLOWS, file), 'utf8').matchAll(/uses: .*/g))
        expect(line).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});

it('dependabot proposes no package or action version younger than pnpm’s minimum age', () => {
  expect(dependabot.updates.map((update) => update['package-ecosystem']).sort()).toEqual([
    'github-actions',
    'npm',
  ]);
  for (const { cooldown } of dependabot.updates)
    expect((cooldown?.['default-days'] ?? 0) * 1_440).toBeGreaterThanOrEqual(pnpm.minimumReleaseAge);
});

/** A run that a release may rely on. */
const GREEN = {
  ...{ workflow: 'ci.yml', commit: 'a'.repeat(40), branch: 'main' },
  ...{ event: 'push', status: 'success' },
};
/** Stub of `gh run list`, which prints the number of the runs that match its flags. */
const GH_RUN_LIST = `
const { readFileSync } = require('node:fs');
const [, , , , ...flags] = process.argv;
let runs = JSON.parse(readFileSync(process.env.RUNS, 'utf8'));
while (flags.length > 0) {
  const [flag, value] = flags.splice(0, 2);
  const key = flag.slice(2);
  if (key === 'limit') runs = runs.slice(0, Number(value));
  else if (!['repo', 'json', 'jq'].includes(key)) runs = runs.filter((run) => run[key] === value);
}
console.log(runs.length);
`;

const lints = isTested('actionlint', actionlint.isAvailable(), 'install Go (https://go.dev/doc/install)');
const describeWithActionlint = lints ? describe : describe.skip;

describeWithActionlint('actionlint', () => {
  beforeAll(() => actionlint.obtain(), actionlint.withinMs);
  // Turns off programs that only some machines have, and that would find more there.
  const lint = (...files: string[]) =>
    promisify(execFile)(actionlint.path, ['-shellcheck=', '-pyflakes=', ...files], { cwd: CHECKOUT });

  it('finds nothing in the workflows', async () => {
    const files = readdirSync(WORKFLOWS).map((file) => join(WORKFLOWS, file));
    expect(files.length).toBeGreaterThanOrEqual(2);
    expect((await lint(...files)).stdout).toBe('');
  });

  it('finds a job that needs a missing one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'workflows-'));
    const file = join(folder, 'release.yml');
    try {
      const text = readFileSync(join(WORKFLOWS, 'release.yml'), 'utf8');
      writeFileSync(file, text.replace('needs: sign-chart', 'needs: sign-charts'));
      await expect(lint(file)).rejects.toMatchObject({ stdout: expect.stringContaining('sign-charts') });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
