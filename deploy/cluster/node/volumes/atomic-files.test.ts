import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAtomically } from './atomic-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'atomic-'));
afterAll(() => rmSync(folder, { recursive: true }));

const group = process.getgid?.() ?? 0;
const write = (files: Record<string, string>) =>
  writeAtomically(
    folder,
    new Map(
      Object.entries(files).map(([path, text]) => [
        path,
        { content: Buffer.from(text), mode: 0o440, user: process.getuid?.() ?? 0 },
      ]),
    ),
    group,
  );
const shown = () => readdirSync(folder).filter((name) => !name.startsWith('..'));
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

it('changes all files of a volume at once, through one link, and leaves nothing of the ones before', () => {
  write({ 'a.txt': 'a1', 'tls/key': 'k1', gone: 'x' });
  expect(shown().sort()).toEqual(['a.txt', 'gone', 'tls']);
  const first = readlinkSync(join(folder, '..data'));
  write({ 'a.txt': 'a2', 'tls/key': 'k2', added: 'y' });
  expect(shown().sort()).toEqual(['a.txt', 'added', 'tls']);
  expect([read('a.txt'), read('tls/key'), read('added')]).toEqual(['a2', 'k2', 'y']);
  expect(readlinkSync(join(folder, 'a.txt'))).toBe('..data/a.txt');
  expect(readdirSync(folder)).not.toContain(first);
  expect(statSync(join(folder, 'a.txt')).mode & 0o777).toBe(0o440);
});

it.each(['../outside', '/etc/passwd', 'a/../../b'])('refuses the path %s', (path) => {
  expect(() => write({ [path]: 'x' })).toThrow('invalid path');
});
