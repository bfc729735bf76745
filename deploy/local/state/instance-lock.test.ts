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

  it('takes over the lock of a dead stack, even if another process has its number now', () => {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: 'some other time' }));
    takeInstanceLock(lock, folder);
    expect(existsSync(lock)).toBe(true);
    expect(() => takeInstanceLock(lock, folder)).toThrow(/already running/);
  });

  it('takes over an invalid lock', () => {
    writeFileSync(lock, '{"pid": "?"}');
    expect(takeInstanceLock(lock, folder)).toBeInstanceOf(Function);
  });
});

describe('identify', () => {
  it('identifies a running process, and returns nothing for a missing one', () => {
    expect(identify(process.pid)).toMatchObject({ pid: process.pid });
    expect(identify(2 ** 22 + 1)).toBeUndefined();
  });
});
