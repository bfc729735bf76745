import fc from 'fast-check';
import { MalformedJson, parseStrictJson } from './strict-json.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('parseStrictJson', () => {
  it('parses every JSON text like the native parser', () => {
    const anyJson = fc.json({ maxDepth: 8, stringUnit: 'binary' });
    fc.assert(
      fc.property(anyJson, (text) => {
        expect(parse(text.toWellFormed())).toEqual(JSON.parse(text.toWellFormed()));
      }),
    );
  });

  it('rejects everything that the native parser rejects after any cut from a valid text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(8), (text, at, length) => {
        const start = at % (text.length + 1);
        const cut = text.slice(0, start) + text.slice(start + length);
        // Not the converse: a cut can repeat a key or make a number too small to represent, which only the strict
        // parser rejects.
        if (outcome(() => JSON.parse(cut)) === 'refused') expect(outcome(() => parse(cut))).toBe('refused');
      }),
    );
  });

  it('rejects an object that repeats a key at any depth and in any spelling', () => {
    const repeated = fc.tuple(
      fc.string({ unit: 'binary' }),
      fc.jsonValue({ maxDepth: 2 }),
      fc.boolean(),
      fc.nat(5),
    );
    fc.assert(
      fc.property(repeated, ([key, value, escaped, depth]) => {
        const plain = JSON.stringify(key);
        const other = escaped ? escapeAll(key) : plain;
        const object = `{${plain}:${JSON.stringify(value)},"between it":0,${other}:1}`;
        expect(() => parse('[{"a":'.repeat(depth) + object + '}]'.repeat(depth))).toThrow(MalformedJson);
      }),
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1,"c":2,"b":3}}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"a":{"x":1}},"a":2}',
    '[{"":1,"":2}]',
  ])('rejects the repeated key in %s', (text) => {
    expect(() => parse(text)).toThrow(MalformedJson);
  });

  it('allows equal keys in different objects, and colons and braces in strings', () => {
    expect(parse('{"a":{"a":[{"a":1},{"a":2}]}}')).toEqual({ a: { a: [{ a: 1 }, { a: 2 }] } });
    expect(parse('{"a":"{\\"a\\":1,\\"a\\":[[","b\\\\":"\\\\"}')).toEqual({
      a: '{"a":1,"a":[[',
      'b\\': '\\',
    });
  });

  it('accepts 32 levels and rejects 33', () => {
    expect(parse(nested(32))).toBeDefined();
    expect(() => parse(nested(33))).toThrow('32 levels');
    expect(() => parse('{"a":'.repeat(10_000))).toThrow(MalformedJson);
    expect(() => parse('['.repeat(60_000))).toThrow(MalformedJson);
  });

  it('treats __proto__ and constructor as ordinary keys', () => {
    const value = parse('{"__proto__":{"admin":true},"constructor":1}');
    expect(Object.keys(Object(value))).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['a raw control character', Buffer.from('"\u0000"')],
    ['a trailing comma', Buffer.from('{"a":1,}')],
    ['a comment', Buffer.from('{} // x')],
    ['two values', Buffer.from('{}{}')],
    ['a single quote', Buffer.from("{'a':1}")],
    ['NaN', Buffer.from('NaN')],
    ['a leading zero', Buffer.from('01')],
    ['only white space', Buffer.from(' \n')],
    ['an unterminated string', Buffer.from('"abc\\')],
  ])('rejects %s', (_what, bytes) => {
    expect(() => parseStrictJson(bytes)).toThrow(MalformedJson);
  });

  const WHOLE = [
    '1000',
    '1000.0',
    '1e3',
    '1E+3',
    '100.0e1',
    '10000e-1',
    '0.1e4',
    '-0.0',
    '0e-5',
    '120.00E-1',
  ];
  it.each(WHOLE)('parses %s as an integer', (text) => {
    expect(parse(`{"a":[${text}]}`)).toEqual({ a: [Number(text)] });
  });

  it.each([
    '999.9999999999999999',
    '1.0000000000000000001',
    '1000.00000000000000000000000001',
    '9007199254740990.9999',
    '10000000000000000000001e-19',
    '1e-400',
    '-1E-400',
    '0.00000000000000000001e-400',
  ])('does not round %s to an integer', (text) => {
    expect(Number.isInteger(JSON.parse(text))).toBe(true);
    expect(parse(text)).toBe(Number.NaN);
    expect(parse(`{"a":[{"b":${text},"c":"1.5e-3"}]}`)).toEqual({ a: [{ b: Number.NaN, c: '1.5e-3' }] });
  });

  it('recognises integers by their text for numbers in any notation', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})$/);
    const written = fc.tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.option(fc.stringMatching(/^\d{1,30}$/), { nil: undefined }),
      fc.option(fc.integer({ min: -40, max: 20 }), { nil: undefined }),
    );
    fc.assert(
      fc.property(written, ([sign, whole, fraction = '', exponent = 0]) => {
        const text = `${sign}${whole}${fraction && `.${fraction}`}${exponent === 0 ? '' : `e${exponent}`}`;
        const shift = fraction.length - exponent;
        const unit = 10n ** BigInt(Math.abs(shift));
        const isInteger = shift <= 0 || BigInt(whole + fraction) % unit === 0n;
        const read = parse(text);
        expect(Number.isInteger(read)).toBe(isInteger);
        if (isInteger) expect(read).toBe(Number(text));
      }),
    );
  });

  it('keeps strings and keys that contain points and signs next to a fraction', () => {
    const text = '{"__proto__":{"e-1":"1.0000000000000000001"},"x":1.5,"y":[1.0,null,true]}';
    expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('never quotes rejected text', () => {
    expect(() => parse('{"a":secret}')).toThrow(/^(?!.*secret)/);
  });
});

function outcome(work: () => unknown): unknown {
  try {
    return { value: work() };
  } catch {
    return 'refused';
  }
}

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) =>
    text.charCodeAt(at).toString(16).padStart(4, '0'),
  );
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}
