import {
  type Body,
  delivery,
  fullDelivery,
  fullEnquiry,
  minimalDelivery,
  without,
  withRaw,
} from '../../harness/enquiries.ts';
import { pathsOf, refusalOf, violationsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';
import { NOTES } from '../create-submission/fields.ts';
import { outsideText, type Row, wrongValues } from '../create-submission/invalid-values.ts';

const alpha = supplier('alpha');
const CHANNELS = 'contact_expectation.channels';

const WRONG: readonly Row[] = [
  ...wrongValues(fullDelivery()),
  ...outsideText(NOTES),
  ...['"2026-11-20"', '"2026-02-30T10:00:00Z"', '"2026-11-20T10:00:00+00:00"', '1'].map(
    (raw): Row => ['capture_timestamp', raw],
  ),
  ...['"application"', '"Basic"', 'null'].map((raw): Row => ['level', raw]),
  ...['[]', 'null', '"email"'].map((raw): Row => [CHANNELS, raw]),
  ['contact_expectation.permission_stated', 'false'],
  ['contact_expectation.nickname', '"x"'],
  ['attribution', '[]'],
  ['__proto__', '{}'],
  ['nickname', '"x"'],
];

describe('delivery create 422', () => {
  it.each(WRONG)('names only %s when it is %s, and stores nothing', async (path, raw) => {
    const body = fullDelivery();
    expect(pathsOf(await alpha.createBasic(withRaw(body, path, raw)))).toEqual([path]);
    if (path !== 'external_reference')
      refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });

  it.each(Object.keys(minimalDelivery()))('returns 422 without %s', async (path) => {
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
  ])('returns 422 for %s, which only v1 accepts', async (name) => {
    const value = fullEnquiry()[name];
    expect(value).toBeDefined();
    expect(pathsOf(await alpha.createBasic(delivery({ [name]: value })))).toEqual([name]);
  });

  it.each<[string, Body]>([
    ['email is the preferred method', { preferred_contact_method: 'email' }],
    ['email is a channel', { contact_expectation: channels('email') }],
    ['email is one channel of two', { contact_expectation: channels('phone', 'email') }],
  ])('requires an email address where %s', async (_, changes) => {
    expect(violationsOf(await alpha.createBasic(delivery(changes)))).toEqual([
      { path: 'email', message: 'is required' },
    ]);
    expect((await alpha.createBasic(delivery({ ...changes, email: 'a@example.com' }))).status).toBe(200);
  });

  it.each(['phone', 'either'])(
    'requires no email address where %s is preferred and no channel is email',
    async (method) => {
      expect((await alpha.createBasic(delivery({ preferred_contact_method: method }))).status).toBe(200);
    },
  );
});

function channels(...names: string[]): object {
  return { ...(delivery().contact_expectation as object), channels: names };
}
