import './browser-storage.ts';
import { diffRows } from '../web/src/screens/policy/diff-rows.ts';

const linesOf = (count: number, changed: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, place) => changed[place + 1] ?? `line ${place + 1}`).join('\n');
const shown = (before: string, after: string, isWhole = false) =>
  diffRows(before, after, isWhole).map((row) =>
    'skipped' in row ? `${row.skipped} skipped` : `${row.mark}${row.line} ${row.text}`,
  );

describe('the difference between two texts', () => {
  it('marks removed and added lines, and counts the unchanged lines that it leaves out', () => {
    expect(shown(linesOf(40), linesOf(40, { 5: 'new', 30: 'newer' }))).toEqual([
      '1 skipped',
      ' 2 line 2',
      ' 3 line 3',
      ' 4 line 4',
      '-5 line 5',
      '+5 new',
      ' 6 line 6',
      ' 7 line 7',
      ' 8 line 8',
      '18 skipped',
      ' 27 line 27',
      ' 28 line 28',
      ' 29 line 29',
      '-30 line 30',
      '+30 newer',
      ' 31 line 31',
      ' 32 line 32',
      ' 33 line 33',
      '7 skipped',
    ]);
  });

  it('contains every line of both texts if requested', () => {
    const rows = shown(linesOf(40), linesOf(40, { 20: 'new' }), true);
    expect(rows).toHaveLength(41);
    expect(rows.slice(18, 22)).toEqual([' 19 line 19', '-20 line 20', '+20 new', ' 21 line 21']);
  });

  it('numbers the lines of each text after lines were added', () => {
    expect(shown('a\nb\nc', 'new\na\nb\nd', true)).toEqual(['+1 new', ' 2 a', ' 3 b', '-3 c', '+4 d']);
  });

  it('adds every line if there was no text', () => {
    expect(shown('', '{"a":1}')).toEqual(['+1 {', '+2   "a": 1', '+3 }']);
  });

  it('is empty for JSON that differs in its formatting only', () => {
    expect(shown('{"a":1}', '{\n "a": 1 }')).toEqual([]);
  });
});
