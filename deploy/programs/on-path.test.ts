import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from './on-path.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'on-path-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('findOnPath returns the first executable on the path or in a further folder', () => {
  for (const name of ['one', 'two', 'three']) mkdirSync(join(folder, name));
  for (const name of ['two', 'three']) writeFileSync(join(folder, name, 'program'), '');
  chmodSync(join(folder, 'three', 'program'), 0o755);
  const [one = '', two = '', three = ''] = ['one', 'two', 'three'].map((name) => join(folder, name));
  expect(findOnPath('program', [], [one, two, three].join(':'))).toBe(join(three, 'program'));
  expect(findOnPath('program', [three], [one, two].join(':'))).toBe(join(three, 'program'));
  expect(findOnPath('program', [], [one, two].join(':'))).toBeUndefined();
});
