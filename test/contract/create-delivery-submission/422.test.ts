import { pathsOf, refusalOf, violationsOf } from '../../harness/answers.ts';
import {
  type Body,
  delivery,
  fullDelivery,
  fullEnquiry,
  minimalDelivery,
  without,
  withRaw,
} from '../../harness/enquiries.ts';
import { supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const CHANNELS = 'contact_expectation.channels';

const LENGTHS: readonly (readonly [string, number, number])[] = [
  ['external_reference', 1, 128],
  ['first_name', 1, 100],
  ['last_name', 1, 100],
  ['email', 1, 320],
  ['telephone', 1, 20],
  ['business_name', 2, 200],
  ['funding_purpose_detail', 1, 200],
  ['company_number', 1, 20],
  ['notes', 1, 500],
  ['contact_expectation.wording_version', 1, 64],
  ['attribution.source', 1, 100],
  ['attribution.campaign', 1, 100],
];

const WRONG: readonly (readonly [path: string, raw: string])[] = [
  ...LENGTHS.flatMap(([path, least, most]) =>
    [
      JSON.stringify('x'.repeat(least - 1)),
      JSON.stringify('x'.repeat(most + 1)),
      '"a\\u0000b"',
      '"\\ud800x"',
      'null',
      '1',
    ].map((raw) => [path, raw] as const),
  ),
  ...[
    'business_sector',
    'preferred_contact_method',
    'funding_timeframe',
    'trading_duration',
    'funding_purpose',
    'annual_turnover_range',
  ].flatMap((path) => ['"something-else"', '""', 'null', '1'].map((raw) => [path, raw] as const)),
  ...['999', '10000001', '1000.5', '"1000"', 'null'].map((raw) => ['funding_amount', raw] as const),
  ...['0', '1000000001', '-1', '"1"'].map((raw) => ['annual_turnover_gbp', raw] as const),
  ...['"2026-11-20"', '"2026-02-30T10:00:00Z"', '"2026-11-20T10:00:00+00:00"', '1'].map(
    (raw) => ['capture_timestamp', raw] as const,
  ),
  ...['"application"', '"Basic"', 'null'].map((raw) => ['level', raw] as const),
  ...['[]', 'null', '"email"'].map((raw) => [CHANNELS, raw] as const),
  ['contact_expectation.permission_stated', 'false'],
  ['contact_expectation.nickname', '"x"'],
  ['attribution', '[]'],
  ['__proto__', '{}'],
  ['nickname', '"x"'],
];

describe('422 to a create on the delivery contract', () => {
  it.each(WRONG)('names %s, and nothing else, when it is %s; and nothing is stored', async (path, raw) => {
    const body = fullDelivery();
    expect(pathsOf(await alpha.createBasic(withRaw(body, path, raw)))).toEqual([path]);
    if (path !== 'external_reference')
      refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });

  it.each(Object.keys(minimalDelivery()))('comes without %s', async (path) => {
    expect(pathsOf(await alpha.createBasic(without(delivery(), path)))).toEqual([path]);
  });

  it('names every required field of an empty object', async () => {
    expect(pathsOf(await alpha.createBasic({}))).toEqual(Object.keys(minimalDelivery()).sort());
  });

  it.each([
    'business_structure',
    'marketing',
    'privacy_information',
    'date_of_birth',
    'home_address',
    'residence_since',
    'credit_screening',
    'stated_collection_basis',
  ])('comes for %s, which only the first version knows', async (name) => {
    const value = fullEnquiry()[name];
    expect(value).toBeDefined();
    expect(pathsOf(await alpha.createBasic(delivery({ [name]: value })))).toEqual([name]);
  });

  it.each<[string, Body]>([
    ['email is the preferred method', { preferred_contact_method: 'email' }],
    ['email is a channel', { contact_expectation: channels('email') }],
    ['email is one channel of two', { contact_expectation: channels('phone', 'email') }],
  ])('asks for an email address where %s', async (_, changes) => {
    expect(violationsOf(await alpha.createBasic(delivery(changes)))).toEqual([
      { path: 'email', message: 'is required' },
    ]);
    expect((await alpha.createBasic(delivery({ ...changes, email: 'a@example.com' }))).status).toBe(200);
  });

  it.each(['phone', 'either'])(
    'asks for none where %s is preferred and no channel is email',
    async (method) => {
      expect((await alpha.createBasic(delivery({ preferred_contact_method: method }))).status).toBe(200);
    },
  );
});

function channels(...names: string[]): object {
  return { ...(delivery().contact_expectation as object), channels: names };
}
