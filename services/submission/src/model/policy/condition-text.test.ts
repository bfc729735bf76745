import { measureCondition } from './condition-text.ts';

const QUOTES = 'The condition has a triple-quoted or prefixed string. Use plain quotes.';
const COMMENT = 'A condition must not have comments.';
const tooMuch = (what: string) => ({
  fault: `The condition ${what}. Simplify it, or split it into several rules.`,
});

describe('measureCondition', () => {
  it.each([
    ['enquiry.funding_amount >= 25000', 6],
    ['a == "x y \\" z"', 4],
    ["a == 'it\\'s (so)'", 4],
    ['"x (" == "y"', 4],
    ['"abc', 1],
    ["'abc d", 1],
    ['""', 1],
    ['"a" "b"', 2],
    ['r "a"', 2],
    ['="a"', 2],
    ['a1_b + 1.5e3', 3],
    ['1 / / 2', 4],
    ['a/b/c', 5],
    ['', 0],
  ])('measures %j as %i names, numbers, texts and signs', (text, parts) => {
    expect(measureCondition(text)).toEqual({ parts });
  });

  it('accepts at most 400 parts', () => {
    expect(measureCondition('+'.repeat(400))).toEqual({ parts: 400 });
    expect(measureCondition('+'.repeat(401))).toEqual(tooMuch('has more than 400 tokens'));
  });

  it.each([
    ['a name', 'a'.repeat(200)],
    ['a number', '1'.repeat(200)],
    ['a string', `"${'a'.repeat(198)}"`],
    ['a string in single quotes', `'${'a'.repeat(198)}'`],
  ])('accepts %s of at most 200 characters', (_what, part) => {
    expect(measureCondition(part)).toEqual({ parts: 1 });
    const longer = part.replace(/[a1]/, (character) => character.repeat(2));
    expect(measureCondition(longer)).toEqual(
      tooMuch('has a name, number or text of more than 200 characters'),
    );
  });

  it.each(['()', '[]', '{}'])('accepts %s nested 16 deep, and no deeper', ([open = '', close = '']) => {
    const nested = (depth: number) => open.repeat(depth) + close.repeat(depth);
    expect(measureCondition(nested(16))).toEqual({ parts: 32 });
    expect(measureCondition(nested(17))).toEqual(tooMuch('nests brackets more than 16 deep'));
    expect(measureCondition(`${open}${close}`.repeat(50))).toEqual({ parts: 100 });
  });
});

describe('measureCondition on an invalid text', () => {
  it.each(['"a""b"', "'a''b'", `"a"'b'`, '"""a"""', 'r"a"', '1"a"', 'x == r"a"'])(
    'rejects ambiguous quoting of a text: %s',
    (text) => {
      expect(measureCondition(text)).toEqual({ fault: QUOTES });
    },
  );

  it.each(['//', '1 // 2', 'true //"'])('rejects a comment: %s', (text) => {
    expect(measureCondition(text)).toEqual({ fault: COMMENT });
  });
});
