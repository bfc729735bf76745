import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { promtool as program } from '../../deploy/programs/tools.ts';
import { shippedQueries } from './queries.ts';

const run = promisify(execFile);
const RULES = join(import.meta.dirname, '..', 'supplier-submissions', 'files', 'monitoring', 'rules.yaml');
const UNIT_TESTS = join(import.meta.dirname, 'rules.promtool.yaml');
/** A day of samples at one-minute intervals takes twenty seconds of one core, and longer on a busy machine. */
const RUN_MS = 600_000;

/** Runs promtool; rejects with its full output. */
const promtool = (...args: string[]) =>
  run(program.path, args, { timeout: RUN_MS }).catch(({ stdout, stderr, message }) => {
    throw new Error(`${stdout}${stderr}` || message);
  });

const runs = program.isAvailable() || process.env.CI === 'true';
if (!runs) console.warn('skipped: "promtool", because there is no Go to build it with');
const describeWithPromtool = runs ? describe : describe.skip;

describeWithPromtool('promtool', () => {
  beforeAll(() => program.obtain(), program.withinMs);

  it('accepts the rules and finds no duplicates', async () => {
    const { stdout } = await promtool('check', 'rules', '--lint=all', '--lint-fatal', RULES);
    expect(stdout).toMatch(/SUCCESS: \d\d+ rules found/);
  });

  it("accepts the dashboards' queries as recording rules", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'queries-'));
    const file = join(folder, 'queries.yaml');
    const rules = shippedQueries().map(({ expr }, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    try {
      writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }));
      expect((await promtool('check', 'rules', file)).stdout).toContain(
        `SUCCESS: ${rules.length} rules found`,
      );
      writeFileSync(
        file,
        stringify({ groups: [{ name: 'x', rules: [{ record: 'x', expr: 'rate(sss_x)' }] }] }),
      );
      await expect(promtool('check', 'rules', file)).rejects.toThrow('expected type range vector');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it(
    'confirms that alerts fire when they should, and only then',
    async () => {
      expect((await promtool('test', 'rules', UNIT_TESTS)).stdout).toContain('SUCCESS');
    },
    RUN_MS,
  );
});
