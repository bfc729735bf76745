import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rules } from '../rules.ts';
import { plantedBugs } from './planted-bugs.ts';
import { edited, plant } from './sources.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

it.each(plantedBugs)('the sources contain the text of the planted bug $name once', ({ name, edits }) => {
  for (const edit of edits) {
    const text = readFileSync(join(ROOT, edit.file), 'utf8');
    expect(edited(name, edit, text)).not.toBe(text);
  }
});

it('planted bugs have different names, and rules that exist', () => {
  expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
  expect(plantedBugs.filter(({ rule }) => !(rule in rules))).toEqual([]);
});

describe('planting a bug', () => {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  const file = 'services/one/src/file.ts';
  const textOf = () => readFileSync(join(folder, file), 'utf8');
  beforeEach(() => {
    mkdirSync(join(folder, 'services/one/src'), { recursive: true });
    writeFileSync(join(folder, file), 'first();\nsecond();\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('replaces the text, and can be undone', () => {
    const mend = plant(folder, 'bug', [
      { file, find: 'first', replace: 'third' },
      { file, find: 'second', replace: '$&' },
    ]);
    expect(textOf()).toBe('third();\n$&();\n');
    mend();
    expect(textOf()).toBe('first();\nsecond();\n');
  });

  it.each([
    ['gone', 'fourth', '0 times'],
    ['ambiguous', '();', '2 times'],
  ])('is refused when its text is %s, and changes nothing', (_, find, times) => {
    const edits = [
      { file, find: 'first', replace: 'third' },
      { file, find, replace: '' },
    ];
    expect(() => plant(folder, 'bug', edits)).toThrow(times);
    expect(textOf()).toBe('first();\nsecond();\n');
  });
});
