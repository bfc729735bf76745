import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { waitUntil } from '../../local/wait-until.ts';
import { isBuilt } from '../control-plane/obtain.ts';
import { lacksNamespaces } from './own-namespaces.ts';

const CHECKOUT = resolve(import.meta.dirname, '../../..');
const TRIAL = join(import.meta.dirname, 'trial', 'trial.ts');
/** A control plane, and half a minute of waiting for Jobs, where much else is done. */
const TRIAL_MS = 480_000;
const ENDED = { withinMs: 30_000, everyMs: 100 };

// Building the control plane takes too long for a test; .ci/run does it before.
const missing = lacksNamespaces() ?? (isBuilt() ? undefined : 'the control plane is not built');
if (missing !== undefined) console.warn(`skipped: ${missing}`);
if (missing !== undefined && process.env.CI === 'true') throw new Error(missing);
const declare = missing === undefined ? describe : describe.skip;

function start(folder: string): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', TRIAL, folder, CHECKOUT], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Processes and mounts of this machine that have to do with `folder`. */
function leftOf(folder: string): string[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
  const mounts = textOf('/proc/self/mounts').split('\n');
  return [...processes, ...mounts].filter((line) => line.includes(folder));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

declare('a node of processes', () => {
  let folder = '';
  let seen: Record<string, never> = {};
  const interfaces = readdirSync('/sys/class/net').sort();
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'node-of-processes-'));
    const trial = start(folder);
    const said: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      trial[name]?.setEncoding('utf8').on('data', (text) => {
        said[name] += text;
      });
    const [code] = await once(trial, 'close');
    if (code !== 0) throw new Error(`the trial failed with exit code ${code}: ${said.stderr}`);
    seen = JSON.parse(said.stdout);
  }, TRIAL_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gives containers their variables, arguments and files', () => {
    expect(seen.serves).toMatchObject({
      ...{ greeting: 'hello', password: 'first', folder: '/app', secretFile: 'first', audience: ['other'] },
      pod: expect.stringMatching(/^server-/),
      arguments: [expect.stringMatching(/^server-/), '$(POD)'],
    });
  });

  it('runs them as who they ask to be, in a root of their own that they cannot write', () => {
    expect(seen.serves).toMatchObject({
      ...{ user: 65532, group: 65532, groups: [65532], capabilities: '0000000000000000', pid: 1 },
      ...{ secretMode: '440', writesRoot: 'EROFS', writesApp: 'EROFS', writesScratch: 'done' },
      ...{ seesCheckout: false, hostname: expect.stringMatching(/^server-/) },
    });
  });

  it('lets pods find Services by their names, and says afterwards who called whom', () => {
    expect(seen.names).toEqual({
      found: { short: 'good', long: 'good', asked: [address()], other: ['192.0.2.7'], unknown: 'ENOTFOUND' },
      connection: { from: 'client', service: 'server', port: 80, to: 'server' },
    });
  });
  const address = () => (seen.serves as unknown as { address: string }).address;

  it('loses no request while every pod of a Deployment is replaced', () => {
    expect(seen.restarts).toMatchObject({ failures: [], refused: 0 });
    expect((seen.restarts as unknown as { sent: number }).sent).toBeGreaterThan(50);
  });

  it('tells the controller of Jobs which pods failed and which succeeded', () => {
    expect(seen.jobFailsTwice).toMatchObject({ failed: 2, succeeded: 1 });
  });

  it('ends and starts a container again whose liveness probe fails', () => {
    expect(seen.livenessFails).toBe(5);
  });

  it('waits for a Secret that is not there yet', () => {
    expect(seen.waitsForSecret).toEqual({ reason: 'CreateContainerConfigError', said: 'late' });
  });

  it('brings a changed Secret into the files of pods that run', () => {
    expect(seen.secretChanges).toBe('second');
  });

  it('ends by force what does not end in time', () => {
    expect(seen.deaf).toBe('gone');
  });

  it('leaves no process, network, mount or file when it stops', () => {
    expect(seen.stopLeaves).toEqual({ processes: 0, interfaces: 1, mounts: 0, files: false });
    expect(leftOf(folder)).toEqual([]);
    expect(readdirSync('/sys/class/net').sort()).toEqual(interfaces);
  });

  it(
    'leaves no process, network or mount when it is killed',
    async () => {
      const killed = join(folder, 'killed');
      mkdirSync(killed);
      const trial = start(killed);
      try {
        await once(trial.stderr!, 'data');
        expect(leftOf(killed)).not.toEqual([]);
      } finally {
        trial.kill('SIGKILL');
      }
      const left = await waitUntil(() => (leftOf(killed).length === 0 ? [] : undefined), ENDED);
      expect(left ?? leftOf(killed)).toEqual([]);
      expect(readdirSync('/sys/class/net').sort()).toEqual(interfaces);
    },
    TRIAL_MS,
  );
});
