import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { identify, isRunning, type ProcessIdentity } from './state/lock-file.mjs';
import { waitUntil } from './wait-until.ts';

jest.setTimeout(240_000);
const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../..');
const state = join(checkout, '.run', 'test', 'start-and-stop');
const flags = `--state ${relative(checkout, state)}`;
const START = { withinMs: 180_000, everyMs: 100 };
const STOP = { withinMs: 60_000, everyMs: 100 };
afterEach(async () => {
  await run('npm', ['stop', '--', '--state', state], { cwd: checkout });
  rmSync(state, { recursive: true, force: true });
});

/** The process and those that it and its children have started. */
function withDescendants(top: number): ProcessIdentity[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [top];
  for (const pid of found)
    found.push(...rows.flatMap(([child = 0, parent]) => (parent === pid ? [child] : [])));
  return found.flatMap((pid) => identify(pid) ?? []);
}

const stillRunning = (processes: readonly ProcessIdentity[]) => processes.filter(isRunning);

it('README’s example starts the stack, sends an enquiry, finds it and stops the stack', async () => {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
  const [, block = ''] = /## Try it\n+```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  const script = block
    .replaceAll('.run/stack.json', `${relative(checkout, state)}/stack.json`)
    .replace('--background', `--background --fresh ${flags}`)
    .replace('npm stop', `npm stop -- ${flags}`);
  const [before = '', stop = ''] = script.split(/(?=npm stop)/);
  const { stdout } = await run('bash', ['-e', '-o', 'pipefail', '-c', before], { cwd: checkout });
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK/m);
  expect(stdout.match(/"external_reference":"lead-0001"/g)).toHaveLength(2);
  const { pids } = JSON.parse(readFileSync(join(state, 'stack.json'), 'utf8')) as {
    pids: Record<string, number>;
  };
  const started = Object.values(pids).flatMap(withDescendants);
  expect(started.length).toBeGreaterThan(8);
  expect((await run('bash', ['-e', '-c', stop], { cwd: checkout })).stdout).toContain('stopped the stack');
  expect(stillRunning(started)).toEqual([]);
});

it('a start in the background fails with the reason and the exit code of the stack', async () => {
  const start = run('npm', ['start', '--', '--background', '--state', state, '--unsynced'], {
    cwd: checkout,
  });
  await expect(start).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('requires --fresh') });
});

it.each([
  ['SIGTERM', 'when everything is ready', 'stack.json'],
  ['SIGINT', 'while it is starting', 'processes.json'],
] as const)('%s to npm start in a script stops every process, %s', async (signal, _when, shownBy) => {
  const command = `npm start -- --no-demo --fresh --unsynced ${flags} & echo $!; wait`;
  const shell = spawn('sh', ['-c', command], { cwd: checkout, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(shell, 'exit');
  const lines = createInterface(shell.stdout);
  const [pid] = await once(lines, 'line');
  await waitUntil(() => existsSync(join(state, shownBy)) || undefined, START);
  const started = withDescendants(Number(pid));
  expect(started.length).toBeGreaterThan(3);
  process.kill(Number(pid), signal);
  await ended;
  await waitUntil(() => stillRunning(started).length === 0 || undefined, STOP);
  expect(stillRunning(started)).toEqual([]);
});
