import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isTested } from '@supplier/lib/testing/programs';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import { kubernetes } from '../../../deploy/programs/kubernetes/kubernetes.ts';
import { lacksNode } from './namespaces.ts';
import { networksOfProcesses } from './testing/networks.ts';

// Each test starts a whole node.
jest.setTimeout(300_000);

// Building takes too long for a test; .ci/run builds it beforehand.
const lacks =
  lacksNode() ??
  (kubernetes.isObtained() ? undefined : 'Kubernetes is not built: node deploy/programs/tools.ts');
const runs = isTested('a Kubernetes node', lacks === undefined, `mend: ${lacks}`);
const declare = runs ? describe : describe.skip;

const CGROUPS = '/sys/fs/cgroup';

const ENDINGS: readonly [string, (child: ReturnType<typeof spawn>) => void, number | null][] = [
  ['on its own', (child) => child.stdin?.write('end\n'), 0],
  ['by Ctrl-C', (child) => child.kill('SIGINT'), 130],
  ['when it is killed', (child) => child.kill('SIGKILL'), null],
];

declare('a node with a pod leaves nothing behind when it ends', () => {
  it.each(ENDINGS)('%s', async (_, end, code) => {
    const folder = mkdtempSync(join(tmpdir(), 'node-'));
    const program = await kubernetes.obtain();
    const trial = join(import.meta.dirname, 'testing', 'trial.ts');
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', trial, program, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), exited])) as [string];
    const networks = JSON.parse(line) as string[];
    // The node's network, and the pod's.
    expect(networks).toHaveLength(2);
    expect(left(folder, child.pid, networks)).not.toEqual([]);

    end(child);
    expect((await exited)[0]).toBe(code);
    await waitUntil(() => left(folder, child.pid, networks).length === 0 || undefined, {
      withinMs: 20_000,
      everyMs: 100,
    });
    expect(left(folder, child.pid, networks)).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Returns the remaining mounts of a folder, control groups named after the process that started them, and processes in networks. */
function left(folder: string, pid: number | undefined, networks: readonly string[]): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder));
  const groups = ['', ...readdirSync(CGROUPS)]
    .map((hierarchy) => join(CGROUPS, hierarchy, `supplier-node-${pid}`))
    .filter((path) => existsSync(path));
  const processes = networksOfProcesses().filter((network) => networks.includes(network));
  return [...mounts, ...groups, ...processes];
}
