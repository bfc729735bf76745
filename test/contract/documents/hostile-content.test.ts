import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isTested } from '@supplier/lib/testing/programs';
import { everythingReady, pidOf } from '../../harness/processes.ts';
import { pdf, scanStatus, sent } from '../../harness/scans.ts';
import { readStack, stackFile } from '../../harness/stack.ts';
import { supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const LISTENING = '0A';
const ATTACK_MS = 60_000;
/** A program that starts the check of a document as the scanner does, with another program. */
const PARENT = join(import.meta.dirname, '../../../services/document/testing/content-parent.ts');
const log = readFileSync(join(dirname(stackFile()), 'logs', 'scanner.log'), {
  encoding: 'utf8',
  flag: 'a+',
});
const isIsolated = isTested(
  'attacks on the scanner',
  !log.includes('"content checks are not isolated"'),
  'allow user namespaces',
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-content-'));
  // The program may run as another user.
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the ports on which a process listens. */
function portsOf(pid: number): number[] {
  const files = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });
  const lines = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n'),
  );
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const isOwn = state === LISTENING && files.includes(`socket:[${inode}]`);
    return isOwn ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
}

/** The scanner, its database, its event bus and its malware scanner, by what the scanner was told. */
function addresses(): string[] {
  const settings = readFileSync(`/proc/${pidOf('scanner')}/environ`, 'utf8').split('\0');
  const urls = settings.flatMap((line) => /^SSS_(?:DATABASE_URL|NATS_URL|CLAMD)=(.*)$/.exec(line)?.[1] ?? []);
  return [...urls, readStack().metrics.scanner ?? ''].map((url) => new URL(url).port);
}

/** Runs a program as the scanner runs the check of a document. Returns whether its attack failed. */
function failsAsContent(attack: string): boolean {
  const program = join(folder, 'hostile.mjs');
  writeFileSync(
    program,
    `process.stdin.resume();
     const gained = await (${attack});
     process.stdout.write(gained ? 'fault csv-dde' : 'clean');`,
  );
  const flags = ['--disable-warning=ExperimentalWarning', PARENT, program];
  const { stdout } = spawnSync(process.execPath, flags, { encoding: 'utf8', input: '', timeout: ATTACK_MS });
  return stdout.trim() === 'true';
}

describe('code in a document', () => {
  it('opens no debugger in the scanner, whoever sends the signal', async () => {
    const pid = pidOf('scanner');
    const before = portsOf(pid);
    expect(before.length).toBeGreaterThan(0);
    process.kill(pid, 'SIGUSR1');
    await everythingReady();
    // A document is scanned after the signal was handled.
    expect(
      await scanStatus(supplier('alpha'), await sent(supplier('alpha'), pdf(Buffer.from('after')))),
    ).toBe('clean');
    expect(portsOf(pid).sort()).toEqual(before.sort());
    expect(pidOf('scanner')).toBe(pid);
  });

  (isIsolated ? it : it.skip)('cannot signal the scanner', async () => {
    const pid = pidOf('scanner');
    const attack = `(() => { try { process.kill(${pid}, 'SIGTERM'); return true } catch { return false } })()`;
    // Its own threads have low numbers.
    expect(pid).toBeGreaterThan(100);
    expect(failsAsContent(attack)).toBe(true);
    await waitFor('the scanner to run', async () => {
      if (pidOf('scanner') !== pid) throw new NotYet('it was restarted');
    });
  });

  (isIsolated ? it : it.skip)('reaches neither the scanner nor its stores', () => {
    const ports = addresses();
    expect(ports).toHaveLength(4);
    const attack = `import('node:net').then(({ connect }) => Promise.all([${ports}].map((port) =>
      new Promise((resolve) => {
        const socket = connect({ host: '127.0.0.1', port });
        socket.once('connect', () => { socket.destroy(); resolve(true) });
        socket.once('error', () => resolve(false));
      })))).then((all) => all.includes(true))`;
    expect(failsAsContent(attack)).toBe(true);
  });
});
