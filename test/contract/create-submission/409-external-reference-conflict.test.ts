import { fullEnquiry, without, withRaw, withValue } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { created, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('create external_reference_conflict', () => {
  it('names the supplier’s submission that has the reference', async () => {
    const body = fullEnquiry();
    const { submission_id } = await created(alpha, body);
    const refusal = refusalOf(await alpha.create(withValue(body, 'first_name', 'Grace')), 409);
    expect(refusal).toMatchObject({ code: 'external_reference_conflict', details: { submission_id } });
  });

  it.each([
    ['a nested value', 'home_address.postcode', '"LS1 1AB"'],
    ['an amount', 'funding_amount', '25001'],
    ['the order of a list', 'contact_expectation.channels', '["email","phone"]'],
    ['the fraction of a timestamp', 'capture_timestamp', '"2026-11-20T09:30:02.12Z"'],
    ['the case of a letter', 'business_name', '"analytical Engines Ltd"'],
    ['the composition of a character', 'last_name', '"Lovelace\\u0301"'],
  ])('returns 409 for a body that differs in %s', async (_, path, raw) => {
    const body = fullEnquiry();
    await created(alpha, body);
    refusalOf(await alpha.create(withRaw(body, path, raw)), 409);
  });

  it('returns 409 for a body that omits an optional field', async () => {
    const body = fullEnquiry();
    await created(alpha, body);
    refusalOf(await alpha.create(without(body, 'annual_turnover_range')), 409);
  });

  it('returns 409 after the decision too, and changes nothing', async () => {
    const body = fullEnquiry();
    const { submission_id } = await created(alpha, body);
    const decided = await settled(alpha, submission_id, 'decided', isDecided);
    refusalOf(await alpha.create(withValue(body, 'first_name', 'Grace')), 409);
    expect(submissionOf(await alpha.read(submission_id), 200)).toEqual(decided);
    expect(submissionOf(await alpha.create(body), 200)).toEqual(decided);
  });

  it('returns 422 for an invalid body, even if its reference is used', async () => {
    const body = fullEnquiry();
    await created(alpha, body);
    refusalOf(await alpha.create(withValue(body, 'first_name', '')), 422);
  });
});
