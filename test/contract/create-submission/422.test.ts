import { pathsOf, refusalOf, violationsOf } from '../../harness/answers.ts';
import { type Body, fullEnquiry, without, withRaw, withValue } from '../../harness/enquiries.ts';
import { supplier } from '../../harness/suppliers.ts';
import {
  BOOLEANS,
  ENUMS,
  INTEGERS,
  OBJECTS,
  REQUIRED_AT_THE_TOP,
  REQUIRED_INSIDE,
  STRINGS,
  TIMESTAMPS,
} from './fields.ts';

const alpha = supplier('alpha');

/** One field made wrong in one way: `raw` is the JSON text put in its place, absent where the field is left out. */
interface Mutation {
  readonly path: string;
  readonly why: string;
  readonly raw?: string;
  /** Where the violation is, when it is not at `path`. */
  readonly at?: string;
}

const LONE_SURROGATES = ['"head \\ud800"', '"\\udfff tail"', '"\\ude00\\ud83d"'];
const NOT_TIMESTAMPS = [
  '2026-11-20T10:00:00',
  '2026-11-20T10:00:00+00:00',
  '2026-11-20T10:00:00z',
  '2026-11-20t10:00:00Z',
  '2026-11-20 10:00:00Z',
  '2026-11-20T10:00Z',
  '2026-11-20T10:00:00.Z',
  '2026-11-20T10:00:00,5Z',
  '2026-11-20T10:00:00.1234567890Z',
  '2026-02-29T10:00:00Z',
  '2100-02-29T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-00-01T10:00:00Z',
  '2026-04-31T10:00:00Z',
  '2026-11-00T10:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T10:60:00Z',
  '2026-11-20T10:00:61Z',
  '26-11-20T10:00:00Z',
  '+002026-11-20T10:00:00Z',
  '2026-11-20T10:00:00Z ',
  '2026-11-20T10:00:00Z\n',
  '٢٠٢٦-11-20T10:00:00Z',
  '2026-11-20',
  '',
];
const NOT_DATES = [
  '2025-02-29',
  '1900-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-04-31',
  '2026-1-1',
  '20260101',
  '2026-01-01T00:00:00Z',
  '01/02/1980',
  '',
];
const NOT_MONTHS = ['2026-13', '2026-00', '2026-1', '2026', '2026-01-01', '202601', ''];

const MUTATIONS: readonly Mutation[] = [
  ...REQUIRED_AT_THE_TOP.map((path) => ({ path, why: 'missing' })),
  ...REQUIRED_INSIDE.map((path) => ({ path, why: 'missing' })),
  ...STRINGS.flatMap(({ path, min, max }) => [
    { path, why: 'one short of its least length', raw: text('x'.repeat(min - 1)) },
    { path, why: 'one over its greatest length', raw: text('x'.repeat(max + 1)) },
    { path, why: 'one over its greatest length in code points', raw: text('😀'.repeat(max + 1)) },
    { path, why: 'with a NUL', raw: '"a\\u0000b"' },
    ...LONE_SURROGATES.map((raw) => ({ path, why: `with an unpaired surrogate (${raw})`, raw })),
    ...['null', '42', 'true', '["xx"]', '{"a":"xx"}'].map((raw) => ({ path, why: raw, raw })),
  ]),
  ...ENUMS.flatMap(({ path, values: [first = ''] }) => [
    { path, why: 'none of its values', raw: '"something-else"' },
    { path, why: 'empty', raw: '""' },
    { path, why: 'in capitals', raw: text(first.toUpperCase()) },
    { path, why: 'with white space', raw: text(`${first} `) },
    { path, why: 'a name every object has', raw: '"constructor"' },
    ...['null', '1', 'true', `[${text(first)}]`].map((raw) => ({ path, why: raw, raw })),
  ]),
  ...INTEGERS.flatMap(({ path, min, max }) => [
    { path, why: 'one under its least', raw: String(min - 1) },
    { path, why: 'one over its greatest', raw: String(max + 1) },
    { path, why: 'a text', raw: '"1000"' },
    { path, why: 'broken', raw: '1000.5' },
    { path, why: 'endless', raw: '1e400' },
    { path, why: 'endless below', raw: '-1e400' },
    { path, why: 'beyond 32 bits', raw: '4294967296' },
    { path, why: 'beyond 64 bits', raw: '18446744073709552616' },
    ...['null', 'true', '""', '[1000]', '{}'].map((raw) => ({ path, why: raw, raw })),
  ]),
  ...BOOLEANS.flatMap(({ path, mustBeTrue }) => [
    ...['null', '1', '0', '"true"', '""', '[]', '{}'].map((raw) => ({ path, why: raw, raw })),
    ...(mustBeTrue ? [{ path, why: 'false', raw: 'false' }] : []),
  ]),
  ...TIMESTAMPS.flatMap((path) => [
    ...NOT_TIMESTAMPS.map((value) => ({ path, why: text(value), raw: text(value) })),
    ...['null', '1763632800', '{}'].map((raw) => ({ path, why: raw, raw })),
  ]),
  ...NOT_DATES.map((value) => ({ path: 'date_of_birth', why: text(value), raw: text(value) })),
  ...NOT_MONTHS.map((value) => ({ path: 'residence_since', why: text(value), raw: text(value) })),
  ...['date_of_birth', 'residence_since'].flatMap((path) =>
    ['null', '19840229'].map((raw) => ({ path, why: raw, raw })),
  ),
  ...OBJECTS.flatMap((path) => ['null', '"x"', '1', '[]', 'true'].map((raw) => ({ path, why: raw, raw }))),
  ...['', ...OBJECTS].flatMap((parent) =>
    ['nickname', '__proto__', 'constructor', 'toString', 'External_Reference', 'first_name '].map((name) => {
      const path = parent === '' ? name : `${parent}.${name}`;
      return { path, why: 'unknown', raw: '"x"' };
    }),
  ),
  { path: '__proto__', why: 'unknown, and an object', raw: '{"level":"application"}' },
  { path: 'notes', why: 'unknown here, known to the delivery contract', raw: '"x"' },
  ...['"basic"', '"Application"', '""', 'null', '1'].map((raw) => ({ path: 'level', why: raw, raw })),
  ...['"another_provider"', '"Screening_Provider"', '""', 'null', '1'].map((raw) => ({
    path: 'credit_screening.provider',
    why: raw,
    raw,
  })),
  ...['[]', 'null', '"phone"', '{}', '{"0":"phone"}'].map((raw) => ({
    path: 'contact_expectation.channels',
    why: raw,
    raw,
  })),
  ...['"post"', '"Phone"', '""', 'null', '1', '["phone"]'].map((item) => ({
    path: 'contact_expectation.channels',
    why: `with the second item ${item}`,
    raw: `["phone",${item}]`,
    at: 'contact_expectation.channels.1',
  })),
];

describe('422 to a create', () => {
  it.each(MUTATIONS.map((mutation) => [mutation.path, mutation.why, mutation] as const))(
    'names %s, and nothing else, when it is %s; and nothing is stored',
    async (path, _, { raw, at = path }) => {
      const body = fullEnquiry();
      const answer = await alpha.create(
        raw === undefined ? JSON.stringify(without(body, path)) : withRaw(body, path, raw),
      );
      expect(pathsOf(answer)).toEqual([at]);
      expect(answer.headers).not.toHaveProperty('retry-after');
      if (path !== 'external_reference')
        refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
    },
  );

  it('reports all violations in one answer', async () => {
    let body = fullEnquiry({ funding_amount: 999, first_name: '', nickname: 'x', level: 'basic' });
    body = without(body, 'last_name');
    body = withValue(body, 'home_address.postcode', 'x'.repeat(21));
    body = withValue(body, 'contact_expectation.channels', ['post', 'phone', 'fax']);
    body = withValue(body, 'credit_screening.declared.hmrc_arrears', 'many');
    expect(pathsOf(await alpha.create(body))).toEqual([
      'contact_expectation.channels.0',
      'contact_expectation.channels.2',
      'credit_screening.declared.hmrc_arrears',
      'first_name',
      'funding_amount',
      'home_address.postcode',
      'last_name',
      'level',
      'nickname',
    ]);
  });

  it('names every required field of an empty object', async () => {
    expect(pathsOf(await alpha.create({}))).toEqual([...REQUIRED_AT_THE_TOP].sort());
  });

  it('stops at 50 violations', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`field_${i}`, i]));
    expect(violationsOf(await alpha.create(fullEnquiry(unknown)))).toHaveLength(50);
    const channels = Array.from({ length: 4000 }, () => 'post');
    const many = withValue(fullEnquiry(), 'contact_expectation.channels', channels);
    expect(violationsOf(await alpha.create(many))).toHaveLength(50);
  });

  it.each(['[]', '[{}]', 'null', '"text"', '42', 'true'])(
    'comes for a body that is no object: %s',
    async (raw) => {
      expect(violationsOf(await alpha.create(raw)).length).toBeGreaterThan(0);
    },
  );

  it.each(['\\u0000', '\\ud800', ''])('comes for an unknown field named "%s"', async (name) => {
    const raw = JSON.stringify(fullEnquiry()).replace('{', `{"${name}":1,`);
    expect(violationsOf(await alpha.create(raw))).toHaveLength(1);
  });

  it('never repeats a submitted value in a message', async () => {
    const secret = 'zq7-submitted-value-zq7';
    const values: Body = Object.fromEntries([...STRINGS, ...ENUMS].map(({ path }) => [path, secret]));
    const wrong = Object.entries(values).reduce(
      (body, [path, value]) => withValue(body, path, `${String(value)}${'x'.repeat(330)}`),
      fullEnquiry({ funding_amount: secret, marketing: secret, capture_timestamp: secret, [secret]: 1 }),
    );
    const answer = await alpha.create(wrong);
    const violations = violationsOf(answer);
    expect(violations.length).toBeGreaterThan(20);
    expect(violations.filter(({ message }) => message.includes(secret))).toEqual([]);
    expect(refusalOf(answer, 422).message).not.toContain(secret);
  });
});

function text(value: string): string {
  return JSON.stringify(value);
}
