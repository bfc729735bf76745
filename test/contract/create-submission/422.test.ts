import { fullEnquiry, without } from '../../harness/enquiries.ts';
import { pathsOf, refusalOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';
import { REQUIRED_AT_THE_TOP, REQUIRED_INSIDE } from './fields.ts';
import { pathsOfRows, type Row, together, withRows, wrongValues } from './invalid-values.ts';

const alpha = supplier('alpha');
const CHANNELS = 'contact_expectation.channels';

// In-process tests cover the messages, and every wrong type and malformed time.
const WRONG: readonly Row[] = [
  ...wrongValues(),
  ['nickname', '"x"'],
  ['__proto__', '{"level":"application"}'],
  ['notes', '"x"'],
  ['level', '"basic"'],
  ['date_of_birth', '"2025-02-29"'],
  ['residence_since', '"2026-13"'],
  ['credit_screening.provider', '"another_provider"'],
  [CHANNELS, '[]'],
];

describe('create 422', () => {
  it('names every invalid field and no other, and stores nothing', async () => {
    for (const rows of together(WRONG)) {
      const body = fullEnquiry();
      const answer = await alpha.create(withRows(body, rows));
      expect(pathsOf(answer)).toEqual(pathsOfRows(rows));
      expect(answer.headers).not.toHaveProperty('retry-after');
      refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
    }
  });

  it('names every missing field', async () => {
    expect(pathsOf(await alpha.create({}))).toEqual([...REQUIRED_AT_THE_TOP].sort());
    const inside = REQUIRED_INSIDE.reduce(without, fullEnquiry());
    expect(pathsOf(await alpha.create(inside))).toEqual([...REQUIRED_INSIDE].sort());
  });
});
