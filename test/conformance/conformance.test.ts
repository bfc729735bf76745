import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isTested } from '@supplier/lib/testing/programs';
import { conformance } from '../../deploy/programs/tools.ts';

const run = promisify(execFile);
/** Some 5,000 cases take two and a half minutes on two cores, and much longer on a busy machine. */
const RUN_MS = 900_000;
/**
 * Cases that may fail, each with its reason. These have 2 s for a call that waits and streams, so on a busy machine
 * they measure the machine. If most of them failed, too few cases would pass.
 */
const FLAKY = ['Deadline Propagation/**'];
/** Cases about what a set doesn't have for each call: the content type of an answer, and the HTTP status 404. */
const NOT_IN_SETS = {
  client: 'Connect Unexpected Responses/**/unexpected-content-type',
  server: 'Connect Unexpected Requests/**/unexpected-uri',
};
const SETS = 'set.yaml';
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Of 5,286 cases, including 224 with such deadlines. */
const MIN_PASSED = 5_200;
/** Of 55 cases for a client, and somewhat fewer for a server. */
const MIN_PASSED_IN_SETS = 40;
const here = (file: string) => join(import.meta.dirname, file);

const runs = isTested(
  'Connect’s conformance',
  conformance.isAvailable(),
  'install Go (https://go.dev/doc/install)',
);
const describeWithSuite = runs ? describe : describe.skip;

/** Runs the suite against a program; resolves to the number of passed cases, rejects with the failed ones. */
async function play(
  mode: 'server' | 'client',
  program: readonly string[],
  features = `${mode}.yaml`,
): Promise<number> {
  const flaky = FLAKY.flatMap((cases) => ['--known-flaky', cases]);
  const bounds = mode === 'server' ? ['--max-servers', '2', '--parallel', '8', ...flaky] : [];
  const known = features === SETS ? ['--known-failing', NOT_IN_SETS[mode]] : [];
  const args = [
    '--mode',
    mode,
    '--conf',
    here(features),
    ...bounds,
    ...known,
    '--',
    process.execPath,
    ...program,
  ];
  const options = { timeout: RUN_MS, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout, stderr } = await run(conformance.path, args, options).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}` || error.message);
  });
  return Number(/(\d+) passed/.exec(`${stdout}${stderr}`)?.[1]);
}

describeWithSuite('Connect’s conformance suite', () => {
  beforeAll(() => conformance.obtain(), conformance.withinMs);

  it(
    'passes with our client',
    async () => {
      expect(await play('client', [here('client.ts')])).toBeGreaterThanOrEqual(100);
    },
    RUN_MS,
  );

  it(
    'passes with our client when its calls travel in sets',
    async () => {
      expect(await play('client', [here('client.ts'), 'set'], SETS)).toBeGreaterThan(MIN_PASSED_IN_SETS);
    },
    RUN_MS,
  );

  it.each([
    ['for every protocol, codec and compression', [], 'server.yaml', MIN_PASSED],
    ['when calls reach it in sets', ['set'], SETS, MIN_PASSED_IN_SETS],
  ])(
    'passes with our server, %s',
    async (_what, ways, features, minPassed) => {
      const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
      const socket = join(folder, 'host');
      const host = spawn(process.execPath, [here('server.ts'), socket, ...ways], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        await once(host.stdout, 'data');
        const passed = await play('server', [here('server-pipe.mjs'), socket], features);
        expect(passed).toBeGreaterThan(minPassed);
      } finally {
        host.kill();
        rmSync(folder, { recursive: true });
      }
    },
    RUN_MS,
  );
});
