import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isTested } from '@supplier/lib/testing/programs';
import { parse, stringify } from 'yaml';
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

/** The tests whose series together trigger every alert that isn't an objective. */
const CAUSES = ['causes are told by their own alerts', 'and so are the others'];

/** The test in which nothing is wrong, though almost. */
const QUIET = 'everything is there and nothing is wrong';

/** What a pod without a fault reports; other metrics are zero. */
const HEALTHY: Readonly<Record<string, number>> = {
  up: 1,
  sss_nats_connected: 1,
  sss_gateway_limits_shared: 1,
  sss_tls_certificate_expiry_timestamp_seconds: 9_000_000,
};

/** Reads `0x60` as promtool does: sixty samples, not a number. */
const AS_WRITTEN = { schema: 'failsafe' } as const;

interface UnitTest {
  readonly name: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
}

/** Puts two pods without a fault around the pod of each series. */
const amongThree = ({ input_series, ...test }: UnitTest): UnitTest => ({
  ...test,
  input_series: input_series.flatMap(({ series, values }) => {
    const labels = series.replace(/pod="[^"]*",?|,pod="[^"]*"/, '');
    const of = (pod: string) => labels.replace('}', `,pod="${pod}"}`).replace(',,', ',');
    const healthy = `${HEALTHY[labels.slice(0, labels.indexOf('{'))] ?? 0}x90`;
    return [
      { series: of('a'), values: healthy },
      { series: of('b'), values },
      { series: of('c'), values: healthy },
    ];
  }),
});

/** Reports each series by two pods, which measure the same. */
const byTwoPods = ({ input_series, ...test }: UnitTest): UnitTest => ({
  ...test,
  input_series: input_series.flatMap(({ series, values }) =>
    ['a', 'b'].map((pod) => ({ series: series.replace('}', `,pod="${pod}"}`), values })),
  ),
});

const runs = isTested(
  'alerts, with promtool',
  program.isAvailable(),
  'install Go (https://go.dev/doc/install)',
);
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

  it(
    'confirms that each cause is alerted on when two of three pods are well, and nothing when all are',
    async () => {
      const { tests, ...settings } = parse(readFileSync(UNIT_TESTS, 'utf8'), AS_WRITTEN);
      const causes = tests.filter(({ name }: UnitTest) => CAUSES.includes(name)).map(amongThree);
      const folder = mkdtempSync(join(tmpdir(), 'pods-'));
      const file = join(folder, 'pods.yaml');
      try {
        expect(causes).toHaveLength(CAUSES.length);
        const quiet = tests.filter(({ name }: UnitTest) => name === QUIET).map(byTwoPods);
        expect(quiet).toHaveLength(1);
        const all = [...causes, ...quiet];
        writeFileSync(file, stringify({ ...settings, rule_files: [RULES], tests: all }, AS_WRITTEN));
        expect((await promtool('test', 'rules', file)).stdout).toContain('SUCCESS');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    RUN_MS,
  );
});
