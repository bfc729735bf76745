import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeInstanceLock } from './instance-lock.ts';
import { identify } from './lock-file.mjs';

let folder = '';
let lock = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
  lock = join(folder, 'stack.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('takeInstanceLock', () => {
  it('refuses a second stack while the first is running, in one line that names its process', () => {
    const release = takeInstanceLock(lock, folder);
    expect(() => takeInstanceLock(lock, folder)).toThrow(
      new RegExp(`already running .*process ${process.pid}`),
    );
    release();
    takeInstanceLock(lock, folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over what a dead stack left, also when its number belongs to another process now', () => {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: 'some other time' }));
    takeInstanceLock(lock, folder);
    expect(existsSync(lock)).toBe(true);
    expect(() => takeInstanceLock(lock, folder)).toThrow(/already running/);
  });

  it('takes over a lock that makes no sense', () => {
    writeFileSync(lock, '{"pid": "?"}');
    expect(takeInstanceLock(lock, folder)).toBeInstanceOf(Function);
  });
});

describe('identify', () => {
  it('knows a running process, and no process that is not there', () => {
    expect(identify(process.pid)).toMatchObject({ pid: process.pid });
    expect(identify(2 ** 22 + 1)).toBeUndefined();
  });
});
