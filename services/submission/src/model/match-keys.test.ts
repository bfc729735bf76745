import fc from 'fast-check';
import { IDENTIFYING, NOBODYS } from '../../testing/unusual-values.ts';
import { type MatchFields, type MatchKeys, matchRule } from './match-keys.ts';

const KINDS = ['company', 'telephone', 'email'] as const;
const FIELD = { company: 'companyNumber', telephone: 'telephone', email: 'email' } as const;
const stating = (kind: keyof MatchKeys, text: string): MatchFields => ({ [FIELD[kind]]: text });
const keyOf = (kind: keyof MatchKeys, text: string, rule = matchRule()) =>
  rule.keysOf(stating(kind, text))[kind];

describe('match keys of real supplier input', () => {
  const cases = KINDS.flatMap((kind) => [
    ...IDENTIFYING[kind].flatMap(([key, ...given]) => given.map((text) => [kind, text, key] as const)),
    ...NOBODYS[kind].map((text) => [kind, text, undefined] as const),
  ]);

  it.each(cases)('%s %j has the key %j', (kind, given, key) => {
    expect(keyOf(kind, given)).toBe(key);
  });

  it('include more than two hundred unusual values', () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
  });

  it('are undefined for absent values', () => {
    expect(matchRule().keysOf({})).toEqual({ company: undefined, telephone: undefined, email: undefined });
  });
});

const digits = (min: number, max = min) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
const words = fc.string({ unit: fc.constantFrom(...'abcxyz /-.?()'), maxLength: 20 });
const white = fc.string({ unit: fc.constantFrom(' ', '\t', '\u00a0'), maxLength: 3 });

/** Inserts something before each character of a text. */
const interspersed = (text: string, between: fc.Arbitrary<string>) =>
  fc
    .array(between, { minLength: text.length, maxLength: text.length })
    .map((gaps) => [...text].map((character, index) => `${gaps[index]}${character}`).join(''));
const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((c, index) => (upper[index] ? c.toUpperCase() : c.toLowerCase())).join(''));

describe('keyOf', () => {
  it.each([
    ['company', 'words without a digit', words],
    [
      'company',
      'one digit over and over',
      fc.tuple(fc.nat(9), fc.integer({ min: 2, max: 20 })).map(([d, n]) => String(d).repeat(n)),
    ],
    ['company', 'zeros', fc.integer({ min: 1, max: 20 }).map((n) => '0'.repeat(n))],
    ['company', 'more than eight digits', digits(9, 20)],
    ['telephone', 'words without a digit', words],
    ['telephone', 'fewer than seven digits', digits(0, 6)],
    [
      'telephone',
      'one digit over and over',
      fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 20 })).map(([d, n]) => String(d).repeat(n)),
    ],
    ['email', 'words without an @', words],
    ['email', 'digits', digits(0, 20)],
    [
      'email',
      'nothing on one side of the @',
      fc.tuple(fc.boolean(), words).map(([left, w]) => (left ? `${w.trim()}@` : `@${w.trim()}`)),
    ],
  ] as const)('returns undefined for a %s: %s', (kind, _what, values) => {
    fc.assert(fc.property(values, (text) => expect(keyOf(kind, text)).toBeUndefined()));
  });
});

describe('keyOf on different spellings', () => {
  const some = (text: string) => !/^0*$/.test(text);
  const several = (text: string) => !/^0*(\d?)\1*$/.test(text);
  const registered = fc.oneof(
    digits(8).filter(several),
    fc.tuple(fc.constantFrom('SC', 'NI', 'OC', 'LP'), digits(6).filter(some)).map((parts) => parts.join('')),
    fc.tuple(digits(5).filter(some)).map(([number]) => `IP${number}R`),
  );

  it('returns one key for company numbers in any case, with white space, with or without leading zeros', () => {
    const spelled = registered.chain((number) => {
      const short = number.replace(/^([A-Z]*)0+/, '$1');
      const text = fc
        .constantFrom(number, short)
        .chain(anyCase)
        .chain((t) => interspersed(t, white));
      return fc.tuple(fc.constant(number), text);
    });
    fc.assert(fc.property(spelled, ([number, text]) => expect(keyOf('company', text)).toBe(number)));
  });

  it('returns one key for telephone numbers with any country code, white space and punctuation', () => {
    const national = fc
      .tuple(fc.constantFrom('20', '161', '7700', '7911', '1632'), digits(10))
      .map(([area, rest]) => `${area}${rest}`.slice(0, 10))
      .filter(several);
    const gap = fc.constantFrom('', '', '', ' ', '-', '.', '\u00a0');
    const spelled = national.chain((number) => {
      const text = fc.tuple(
        fc.constantFrom('0', '+44', '+44 ', '0044', '0044 ', '+44(0)', '+44 (0)'),
        interspersed(number.slice(1), gap).map((rest) => `${number.slice(0, 1)}${rest}`),
      );
      return fc.tuple(
        fc.constant(`+44${number}`),
        text.map((parts) => parts.join('')),
      );
    });
    fc.assert(fc.property(spelled, ([key, text]) => expect(keyOf('telephone', text)).toBe(key)));
  });
});

describe('excluded values', () => {
  const rule = matchRule([
    { kind: 'telephone', text: '020 7946 0000' },
    { kind: 'email', text: ' Leads@Broker.example ' },
    { kind: 'company', text: 'sc 1234' },
  ]);

  it.each([
    ['telephone', '+44 (0)20 7946 0000'],
    ['email', 'LEADS@broker.example'],
    ['company', 'SC001234'],
  ] as const)('remove the key of %s %j, in any spelling', (kind, text) => {
    expect(keyOf(kind, text, rule)).toBeUndefined();
    expect(keyOf(kind, text)).toBeDefined();
  });

  it('do not affect other values', () => {
    expect(keyOf('telephone', '020 7946 0001', rule)).toBe('+442079460001');
    expect(keyOf('company', '00001234', rule)).toBe('00001234');
  });

  it('change the id of the rule, which is the same for the same values in any order and spelling', () => {
    const same = matchRule([
      { kind: 'company', text: 'SC001234' },
      { kind: 'email', text: 'leads@broker.example' },
      { kind: 'telephone', text: '+442079460000' },
    ]);
    expect(same.id).toBe(rule.id);
    expect(new Set([matchRule().id, rule.id, matchRule([{ kind: 'email', text: 'x@y' }]).id]).size).toBe(3);
    expect(matchRule([]).id).toBe(matchRule().id);
  });
});
