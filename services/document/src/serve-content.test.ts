import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@supplier/lib/testing';
import { SAMPLE_FILES } from '../testing/sample-files.ts';
import { ContentLost, ContentUnchecked, canCheckContent, startContentProcess } from './content/index.ts';
import { CONTENT_TYPES } from './model/content-types.ts';

jest.setTimeout(60_000);

/** Ends a process when this one, which holds its standard input, has ended, as after an interrupted run. */
const WITH_PARENT = 'process.stdin.once("end", () => process.exit()).resume().unref()';
const COMMAND = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'serve-content.ts')];
const POLICY = { refusePdfActions: true };

let folder: string;
let socket: string;
let server: ChildProcess;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serve-content-'));
  socket = join(folder, 'content.sock');
  await startServer();
});
afterEach(() => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

async function startServer() {
  const args = [`--import=data:text/javascript,${WITH_PARENT}`, ...COMMAND, '--socket', socket];
  server = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'inherit', 'inherit'] });
  await eventually('it listens', () => canConnect());
}

const canConnect = () =>
  new Promise<boolean>((resolve) => {
    const trial = connect(socket);
    trial.once('error', () => resolve(false));
    trial.once('connect', () => {
      trial.destroy();
      resolve(true);
    });
  });

const open = (type: string) => startContentProcess(type, POLICY, { socket });

async function matches(type: string, bytes: Uint8Array, check = open(type)): Promise<boolean> {
  try {
    for (let at = 0; at < bytes.length; at += 65_536) await check.take(bytes.subarray(at, at + 65_536));
    return (await check.fault()) === undefined;
  } finally {
    check.close();
  }
}

/** A type by which a program is found. */
const MARKED = 'text/serve-content-test';
/** The programs that check content of that type. */
const checks = () =>
  readdirSync('/proc').filter((name) => {
    try {
      const text = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return text.includes(`content-program.ts\0${MARKED}`);
    } catch {
      return false;
    }
  });

describe('serve-content', () => {
  it('checks one document for each connection', async () => {
    const found = await Promise.all(
      CONTENT_TYPES.slice(0, 3).map((type) => matches(type, SAMPLE_FILES[type])),
    );
    expect(found).toEqual([true, true, true]);
    for (const type of CONTENT_TYPES) expect(await matches(type, Buffer.alloc(300_000, '\0'))).toBe(false);
  });

  it('may be reached by another user', () => {
    expect(statSync(socket).mode & 0o777).toBe(0o666);
  });

  it('reports a program that fails, even before it has read the document', async () => {
    const check = open(MARKED);
    await check.take(Buffer.from('a'));
    await eventually('it has started', () => checks().length > 0);
    for (const pid of checks()) process.kill(Number(pid), 'SIGKILL');
    const failing = matches(MARKED, Buffer.alloc(5_000_000), check);
    await expect(failing).rejects.toBeInstanceOf(ContentUnchecked);
    await expect(failing).rejects.not.toBeInstanceOf(ContentLost);
    expect(await matches('text/csv', SAMPLE_FILES['text/csv'])).toBe(true);
  });

  it('loses the checks in progress when it is killed, and no later one', async () => {
    const check = open('text/csv');
    await check.take(Buffer.from('a,b\n'));
    await eventually('it has started', () => canCheckContent(open));
    server.kill('SIGKILL');
    await expect(check.fault()).rejects.toBeInstanceOf(ContentLost);
    expect(await canCheckContent(open)).toBe(false);
    // Of the earlier server, there is a socket that nobody listens on.
    await startServer();
    expect(await canCheckContent(open)).toBe(true);
  });

  it('finishes the checks in progress when it is stopped', async () => {
    const check = open('text/csv');
    await check.take(Buffer.from('a,b\n'));
    await eventually('it has started', () => canCheckContent(open));
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await eventually('it accepts no others', async () => !(await canConnect()));
    expect(await matches('text/csv', Buffer.from('1,2\n'), check)).toBe(true);
    expect(await ended).toEqual([0, null]);
  });

  it.each([
    ['while it sends', async () => {}],
    ['when it has sent everything', async (end: () => void) => end()],
  ])('ends a program whose scanner is lost %s', async (_when, then) => {
    const scanner = connect(socket);
    scanner.write(JSON.stringify([MARKED]).padEnd(256));
    await once(scanner, 'data');
    await then(() => scanner.end());
    scanner.destroy();
    await eventually('it has ended', () => checks().length === 0);
  });

  it('checks only four documents at once', async () => {
    const all = Array.from({ length: 4 }, () => open('text/csv'));
    for (const one of all) await one.take(Buffer.from('a,b\n'));
    const fifth = matches('text/csv', Buffer.from('a,b\n'));
    await expect(fifth).rejects.toThrow('content check not started');
    await expect(fifth).rejects.not.toBeInstanceOf(ContentUnchecked);
    for (const one of all) expect(await matches('text/csv', Buffer.from('1,2\n'), one)).toBe(true);
  });

  it('tells with --check whether it works', async () => {
    const check = () => spawnSync(process.execPath, [...COMMAND, '--socket', socket, '--check'], { env: {} });
    expect(check().status).toBe(0);
    server.kill('SIGKILL');
    await once(server, 'exit');
    expect(check().status).toBe(1);
  });
});

it('a server that answers anything else has checked nothing', async () => {
  const path = join(folder, 'other.sock');
  const other = createServer((connection) => connection.end('started\nanswered "anything"\n')).listen(path);
  await once(other, 'listening');
  const check = startContentProcess('text/csv', POLICY, { socket: path });
  await expect(check.fault()).rejects.toThrow('unknown answer');
  other.close();
});
