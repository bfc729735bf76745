import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually, isTested } from '@supplier/lib/testing';
import { contentIsolation, startContentProcess } from './index.ts';

jest.setTimeout(60_000);

const PARENT = join(import.meta.dirname, '../../testing/content-parent.ts');
const CHECKOUT = join(import.meta.dirname, '../../../..');
const isIsolated = isTested('attacks on the scanner', contentIsolation().length > 0, 'allow user namespaces');

let folder: string;
let listeners: Server[];
const parents: ChildProcess[] = [];
const ABSTRACT = `\0scanner-${process.pid}`;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-content-'));
  // The program runs as another user.
  chmodSync(folder, 0o755);
  listeners = [createServer().listen(0, '127.0.0.1'), createServer().listen(ABSTRACT)];
  await Promise.all(listeners.map((server) => once(server, 'listening')));
  mkdirSync(join(CHECKOUT, '.run'), { recursive: true });
});
afterAll(() => {
  for (const server of listeners) server.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
});

function hostile(text: string): string {
  const path = join(folder, `hostile-${crypto.randomUUID()}.mjs`);
  writeFileSync(path, `process.stdin.resume();\n${text}`);
  return path;
}

/** Returns a program that prints `clean` if the attack fails. */
const attack = (expression: string) =>
  hostile(
    `const succeeds = await (${expression}); process.stdout.write(succeeds ? 'fault csv-dde' : 'clean');`,
  );

/** Starts a process that checks a document with the program, and could be debugged. */
function startParent(program: string) {
  const flags = ['--disable-warning=ExperimentalWarning', PARENT, program];
  const parent = spawn(process.execPath, flags, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  parents.push(parent);
  let errors = '';
  parent.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  return { parent, lines: createInterface(parent.stdout), errors: () => errors };
}

/** The processes that run the program. */
const processesOf = (program: string) =>
  readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`\0${program}\0text/csv`)
      );
    } catch {
      return false;
    }
  });

const reaches = (address: string) => `new Promise((resolve) => {
  import('node:net').then(({ connect }) => {
    const socket = connect(${address});
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
})`;
const portOf = (server: Server | undefined) => (server?.address() as AddressInfo | null)?.port;

describe('content program without isolation', () => {
  it.each([
    ['the state of the local stack', () => join(CHECKOUT, '.run')],
    ['the repository', () => join(CHECKOUT, '.git')],
  ])('cannot read %s', async (_what, path) => {
    const program = attack(
      `import('node:fs').then(({ statSync }) => statSync('${path()}')).then(() => true, ({ code }) => code !== 'ERR_ACCESS_DENIED')`,
    );
    expect(await answerOf(program)).toBe(true);
  });
});

(isIsolated ? describe : describe.skip)('hostile content program', () => {
  it.each([
    [
      'finds another process to signal',
      () =>
        // Lower numbers are its own threads.
        `Array.from({ length: 100_000 }, (_, index) => index + 100).some((pid) => {
          try { process.kill(pid, 0); return true; } catch ({ code }) { return code !== 'ESRCH'; }
        })`,
    ],
    ['knows its parent', () => 'process.ppid > 0'],
    [
      'connects to a port of this machine',
      () => reaches(`{ host: '127.0.0.1', port: ${portOf(listeners[0])} }`),
    ],
    ['connects to a socket without a file', () => reaches(JSON.stringify({ path: ABSTRACT }))],
  ])('never %s', async (_what, expression) => {
    expect(await answerOf(attack(expression()))).toBe(true);
  });

  it.each([
    ['its parent', 'process.ppid'],
    ['its process group', '0'],
  ])('opens no debugger in the scanner by a signal to %s', async (_who, target) => {
    const program = hostile(`
      try { process.kill(${target}, 'SIGUSR1'); } catch {}
      process.stdin.on('end', () => setTimeout(() => process.stdout.write('clean'), 200));`);
    const { parent, lines, errors } = startParent(program);
    await once(lines, 'line');
    parent.stdin.end();
    await once(parent, 'exit');
    expect({ code: parent.exitCode, signal: parent.signalCode, errors: errors() }).toEqual({
      ...{ code: 0, signal: null, errors: '' },
    });
  });

  it('ends when the scanner is killed', async () => {
    const program = hostile('setInterval(() => {}, 1_000);');
    const { parent } = startParent(program);
    await eventually('it runs', () => processesOf(program).length > 0);
    parent.kill('SIGKILL');
    await eventually('it has ended', () => processesOf(program).length === 0);
  });
});

// What native code could do, after it has left the restrictions of Node.
(isIsolated ? describe : describe.skip)('content process', () => {
  function run(expression: string): string {
    const [command = '', ...args] = [...contentIsolation(), process.execPath, '-p', expression];
    return spawnSync(command, args, { env: {}, encoding: 'utf8' }).stdout.trim();
  }

  it('has no capability, can gain none, and is not root', () => {
    const status = run(`fs.readFileSync('/proc/self/status', 'utf8')`);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^CapPrm:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).not.toMatch(/^Uid:\t0\t/m);
  });

  it('finds nothing in /proc of another process', () => {
    const found = run(`fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).join()`);
    expect(found).toBe('1');
    const codes = ['environ', 'maps', 'mem', 'cwd', 'root', 'fd'].map(
      (file) => `try { fs.lstatSync('/proc/${process.pid}/${file}') } catch ({ code }) { codes.push(code) }`,
    );
    expect(run(`const codes = []; ${codes.join(';')}; codes.join()`)).toBe(Array(6).fill('ENOENT').join());
  });

  it('reaches no network', () => {
    expect(run('Object.keys(os.networkInterfaces()).length')).toBe('0');
    expect(run(`fs.readFileSync('/proc/net/route', 'utf8').trim().split('\\n').length`)).toBe('1');
  });
});

async function answerOf(program: string): Promise<boolean> {
  const check = startContentProcess('text/csv', { refusePdfActions: true }, { program });
  try {
    await check.take(Buffer.from('a'));
    return (await check.fault()) === undefined;
  } finally {
    check.close();
  }
}
