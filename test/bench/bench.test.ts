import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 90_000;
/** The whole stack is started, and everything is measured twice. */
const SUBMISSIONS_LIMIT_MS = 300_000;
const FILLED = 200;
const root = mkdtempSync(join(tmpdir(), 'bench-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs the command as `npm run bench` does, on a machine that is already set up. */
async function bench(...args: string[]) {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

/** Parses a result into its values by name. */
function measured(json: string): { benchmark: string; values: Record<string, number> } {
  const { benchmark, measures } = JSON.parse(json);
  const values = measures.map(({ what, value }: { what: string; value: number }) => [what, value]);
  return { benchmark, values: Object.fromEntries(values) };
}

describe('npm run bench', () => {
  it('lists the benchmarks', async () => {
    const { code, stdout } = await bench('--list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/deliveries .*\n.*finding .*\n.*leads /);
  });

  it('refuses an unknown benchmark', async () => {
    expect(await bench('webhook-flight')).toMatchObject({ code: 64, stdout: '' });
    expect(await bench('deliveries', '--deliveries', 'many')).toMatchObject({ code: 64, stdout: '' });
  });

  it(
    'delivers through the real service to a receiver that checks signatures, and leaves nothing behind',
    async () => {
      const state = join(root, 'state');
      const sizes = ['--deliveries', '400', '--state', state];
      const { code, stdout, stderr } = await bench('deliveries', '--json', ...sizes);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const { benchmark, values } = measured(stdout);
      expect(benchmark).toBe('deliveries');
      expect(values).toMatchObject({
        '20 endpoints: distinct events received': 400,
        '20 endpoints: repeated attempts': 0,
        'invalid signatures': 0,
      });
      expect(values['valid signatures']).toBeGreaterThan(0);
      expect(values['20 endpoints: deliveries']).toBeGreaterThan(0);
      expect(existsSync(state)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'finds submissions by every list and filter',
    async () => {
      const sizes = ['--short', '--rows', '300', '--state', join(root, 'finding')];
      const { code, stdout, stderr } = await bench('finding', '--json', ...sizes);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const { benchmark, values } = measured(stdout);
      expect(benchmark).toBe('finding');
      for (const what of ['newest first', 'one account, deep', 'status, rare', 'timeline', 'queues'])
        expect(values[`${what}: p99`]).toBeGreaterThan(0);
    },
    SUBMISSIONS_LIMIT_MS,
  );

  it(
    'follows submissions through the stack to their last webhook, with empty and with full tables',
    async () => {
      const sizes = ['--short', '--rates', '5,20', '--seconds', '1', '--rows', String(FILLED)];
      const places = ['--state', join(root, 'leads')];
      const { code, stdout, stderr } = await bench('leads', '--json', ...sizes, ...places);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const { values } = measured(stdout);
      for (const label of ['', `with ${FILLED} rows: `]) {
        for (const rate of [5, 20])
          expect(values).toMatchObject({
            [`${label}${rate}/s: refused`]: 0,
            [`${label}${rate}/s: accepted and not decided`]: 0,
            [`${label}${rate}/s: due to billed, p99.9`]: expect.any(Number),
            [`${label}${rate}/s: CPU of the stack for each lead`]: expect.any(Number),
            [`${label}${rate}/s: oldest of undecided leads`]: expect.any(Number),
          });
        for (const what of ['creates ÷ bare inserts', 'reads by id ÷ bare selects'])
          expect(values[`${label}${what}`]).toBeGreaterThan(0);
      }
      for (const what of [
        'full ÷ empty: reads by reference',
        'bare server: inserts at the end ÷ at the start',
      ])
        expect(values[what]).toBeGreaterThan(0);
      // Every response had the expected status.
      expect(Object.keys(values).filter((what) => /: answered /.test(what))).toEqual([]);
    },
    SUBMISSIONS_LIMIT_MS,
  );
});
