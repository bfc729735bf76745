import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { ACTIONLINT, BUILD_MS, canBeHad, obtainActionlint } from '../programs/obtain-actionlint.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const WORKFLOWS = join(CHECKOUT, '.github/workflows');

interface Job {
  readonly permissions?: Record<string, string>;
  readonly needs?: string;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
const release = parse(readFileSync(join(WORKFLOWS, 'release.yml'), 'utf8')) as {
  permissions: object;
  jobs: Record<string, Job>;
};
const jobs = Object.entries(release.jobs);
const uses = ({ steps }: Job, action: string) => steps.some((step) => step.uses?.startsWith(`${action}@`));
const runs = ({ steps }: Job) => steps.map(({ run = '' }) => run).join('\n');

describe('the release', () => {
  it('gives each job its own permissions, and an end', () => {
    expect(release.permissions).toEqual({});
    for (const [, job] of jobs) {
      expect(job.permissions).toBeDefined();
      expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
  });

  it('lets no job sign, or publish, that runs code of the project or of its packages', () => {
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

  it('makes every step that the command has, with flags that it knows', () => {
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

  it('says by its tag which action each digest is of', () => {
    for (const file of readdirSync(WORKFLOWS))
      for (const [line] of readFileSync(join(WORKFLOWS, file), 'utf8').matchAll(/uses: .*/g))
        expect(line).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});

const lints = canBeHad() || process.env.CI === 'true';
if (!lints) console.warn('skipped: "actionlint", because there is no Go to build it with');
const describeWithActionlint = lints ? describe : describe.skip;

describeWithActionlint('actionlint', () => {
  beforeAll(() => obtainActionlint(), BUILD_MS);
  // Programs that some machines have, and that would find more there.
  const lint = (...files: string[]) =>
    promisify(execFile)(ACTIONLINT, ['-shellcheck=', '-pyflakes=', ...files], { cwd: CHECKOUT });

  it('finds nothing in the workflows', async () => {
    const files = readdirSync(WORKFLOWS).map((file) => join(WORKFLOWS, file));
    expect(files.length).toBeGreaterThanOrEqual(2);
    expect((await lint(...files)).stdout).toBe('');
  });

  it('finds a job that needs one that there is not', async () => {
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
