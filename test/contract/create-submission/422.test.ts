import { type Body, fullEnquiry, without, withRaw, withValue } from '../../harness/enquiries.ts';
import { pathsOf, refusalOf, violationsOf } from '../../harness/responses.ts';
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

/** One field made invalid in one way: `raw` is the JSON text of its new value; absent means the field is omitted. */
interface Mutation {
  readonly path: string;
  /** Completes the sentence "names the field when it is …". */
  readonly why: string;
  readonly raw?: string;
  /** The path of the violation, if not `path`. */
  readonly at?: string;
}

/**
 * One row for each kind of rule and field. In-process tests generated from the rules cover the other ways to break them
 * (every wrong type, every malformed time).
 */
const MUTATIONS: readonly Mutation[] = [
  ...[...REQUIRED_AT_THE_TOP, ...REQUIRED_INSIDE].map((path) => ({ path, why: 'missing' })),
  ...STRINGS.flatMap(({ path, min, max }) => [
    { path, why: `shorter than ${min}`, raw: text('x'.repeat(min - 1)) },
    { path, why: `longer than ${max} code points`, raw: text('😀'.repeat(max + 1)) },
  ]),
  ...ENUMS.map(({ path }) => ({ path, why: 'not one of its values', raw: text('something-else') })),
  ...INTEGERS.flatMap(({ path, min, max }) => [
    { path, why: `less than ${min}`, raw: String(min - 1) },
    { path, why: `more than ${max}`, raw: String(max + 1) },
    { path, why: 'no integer, but rounded to one', raw: `${max}.00000000000000000001` },
  ]),
  ...BOOLEANS.map(({ path, mustBeTrue }) =>
    mustBeTrue ? { path, why: 'false', raw: 'false' } : { path, why: 'text', raw: '"true"' },
  ),
  ...TIMESTAMPS.map((path) => ({ path, why: 'a day that does not exist', raw: '"2026-02-29T10:00:00Z"' })),
  { path: 'date_of_birth', why: 'a day that does not exist', raw: '"2025-02-29"' },
  { path: 'residence_since', why: 'a month that does not exist', raw: '"2026-13"' },
  ...OBJECTS.map((path) => ({ path, why: 'no object', raw: '[]' })),
  ...['', ...OBJECTS.map((parent) => `${parent}.`)].map((prefix) => ({
    path: `${prefix}nickname`,
    why: 'unknown',
    raw: '"x"',
  })),
  { path: '__proto__', why: 'unknown, and an object', raw: '{"level":"application"}' },
  { path: 'notes', why: 'known to the delivery contract alone', raw: '"x"' },
  { path: 'level', why: 'the level of the other contract', raw: '"basic"' },
  { path: 'credit_screening.provider', why: 'another provider', raw: '"another_provider"' },
  { path: 'first_name', why: 'text with a NUL', raw: '"a\\u0000b"' },
  { path: 'first_name', why: 'text with an unpaired surrogate', raw: '"head \\ud800"' },
  { path: 'first_name', why: 'null', raw: 'null' },
  { path: 'funding_amount', why: 'no whole number', raw: '1000.5' },
  { path: 'funding_amount', why: 'less than 1000, but rounded to it', raw: '999.9999999999999999' },
  { path: 'funding_amount', why: 'beyond every number', raw: '1e400' },
  { path: 'contact_expectation.channels', why: 'empty', raw: '[]' },
  {
    path: 'contact_expectation.channels',
    why: 'wrong in its second item',
    raw: '["phone","post"]',
    at: 'contact_expectation.channels.1',
  },
];

describe('create 422', () => {
  it.each(MUTATIONS.map((mutation) => [mutation.path, mutation.why, mutation] as const))(
    'names only %s when it is %s, and stores nothing',
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

  it('reports all violations in one response', async () => {
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

  it('reports at most 50 violations', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`field_${i}`, i]));
    expect(violationsOf(await alpha.create(fullEnquiry(unknown)))).toHaveLength(50);
    const channels = Array.from({ length: 4000 }, () => 'post');
    const many = withValue(fullEnquiry(), 'contact_expectation.channels', channels);
    expect(violationsOf(await alpha.create(many))).toHaveLength(50);
  });

  it.each(['[]', '[{}]', 'null', '"text"', '42', 'true'])(
    'returns 422 for a body that is not an object: %s',
    async (raw) => {
      expect(violationsOf(await alpha.create(raw)).length).toBeGreaterThan(0);
    },
  );

  it.each(['\\u0000', '\\ud800', ''])('returns 422 for an unknown field named "%s"', async (name) => {
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
