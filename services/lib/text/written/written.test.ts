import { nameProblem, reasonProblem } from './index.ts';

const UNSEEN = [
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a soft hyphen', '\u00ad'],
  ['the empty Braille cell', '\u2800'],
  ['a Hangul filler', '\u3164'],
  ['a half-width Hangul filler', '\uffa0'],
  ['a Hangul choseong filler', '\u115f'],
  ['a grapheme joiner', '\u034f'],
  ['a byte order mark', '\ufeff'],
  ['a variation selector', '\ufe0f'],
  ['a tag', '\u{e0041}'],
  ['an annotation mark', '\ufff9'],
  ['a direction override', '\u202e'],
  ['a direction isolate', '\u2066'],
  ['an Arabic letter mark', '\u061c'],
  ['a line feed', '\n'],
  ['a tab', '\t'],
  ['an escape', '\u001b'],
  ['a C1 control', '\u009b'],
  ['NUL', '\u0000'],
  ['a private-use character', '\ue000'],
  ['a private-use character of another plane', '\u{f0000}'],
  ['an unassigned character', '\u0378'],
  ['a non-character', '\ufffe'],
  ['half a surrogate pair', '\ud800'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
] as const;

describe.each([
  ['a reason', reasonProblem],
  ['a name', nameProblem],
])('%s', (_, problem) => {
  it.each(UNSEEN)('has no invisible characters: %s', (__, unseen) => {
    for (const text of [`Case 4711${unseen}`, `${unseen}Case 4711`, `Case${unseen} 4711`, unseen.repeat(5)])
      expect(problem(text)).toBe('must not contain line breaks, control characters or invisible characters');
  });

  it.each(['', '   ', '...', '---', '\u00a0\u3000\u2003', '\u0301\u0301\u0301', '👍👍👍'])(
    'is not %j',
    (text) => {
      expect(problem(text)).toMatch(/^must have /);
    },
  );

  it.each([
    'Case 4711',
    'T-12',
    'Überprüfung nötig',
    '東京支店',
    'مراجعة',
    'customer asked 👍',
    "O'Neill & Söhne",
  ])('may be %j', (text) => expect(problem(text)).toBeUndefined());
});

it('a reason needs three letters or digits, and a name one', () => {
  for (const text of ['ok', 'x.', '4 2', 'a\u0301b']) {
    expect(reasonProblem(text)).toBe('must have at least 3 letters or digits');
    expect(nameProblem(text)).toBeUndefined();
  }
});
