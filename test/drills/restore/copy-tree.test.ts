import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTree } from './copy-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'copy-tree-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('copyTree copies folders and files except the excluded ones, and reports those it created', () => {
  const from = join(folder, 'from');
  mkdirSync(join(from, 'base/16384'), { recursive: true });
  mkdirSync(join(from, 'pg_wal/summaries'), { recursive: true });
  writeFileSync(join(from, 'base/16384/2619'), 'rows');
  writeFileSync(join(from, 'pg_wal/0001'), 'log');
  writeFileSync(join(from, 'postmaster.pid'), '7');
  const to = join(folder, 'to');
  const made: string[] = [];
  const leavesOut = (path: string) => /^(?:pg_wal\/.*|postmaster\.pid)$/.test(path);
  expect(copyTree(from, to, { leavesOut, made: (path) => made.push(path) })).toBe(4);
  expect(readFileSync(join(to, 'base/16384/2619'), 'utf8')).toBe('rows');
  const names = ['', '/base', '/base/16384', '/base/16384/2619', '/pg_wal'];
  expect(made.sort()).toEqual(names.map((name) => `${to}${name}`));
});
