import { fullEnquiry, withRaw } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { created, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('create replay', () => {
  it('returns 200 with the current status object', async () => {
    const body = fullEnquiry();
    const { submission_id } = await created(alpha, body);
    const decided = await settled(alpha, submission_id, 'decided', isDecided);
    expect(submissionOf(await alpha.create(body), 200)).toEqual(decided);
  });

  it('returns 200 for any key order, at every level', async () => {
    const body = fullEnquiry();
    const { submission_id } = await created(alpha, body);
    expect(submissionOf(await alpha.create(turnedAround(body) as object), 200).submission_id).toBe(
      submission_id,
    );
  });

  it('returns 200 for any white space between the tokens', async () => {
    const body = fullEnquiry();
    const { submission_id } = await created(alpha, body);
    const replay = await alpha.create(`\n${JSON.stringify(body, null, 2)}\n`);
    expect(submissionOf(replay, 200).submission_id).toBe(submission_id);
  });

  it.each([
    ['1000', '1000.0'],
    ['1000.0', '1000'],
    ['1000', '1e3'],
    ['1000', '1000.000'],
    ['10000', '1.0E+4'],
  ])('returns 200 for the amount %s written as %s', async (first, second) => {
    const body = fullEnquiry();
    const { submission_id } = submissionOf(await alpha.create(withRaw(body, 'funding_amount', first)), 202);
    const replay = await alpha.create(withRaw(body, 'funding_amount', second));
    expect(submissionOf(replay, 200).submission_id).toBe(submission_id);
  });

  it('returns 200 for the same text with different escapes', async () => {
    const body = fullEnquiry({ first_name: 'Ünal/😀' });
    const { submission_id } = await created(alpha, body);
    const escaped = JSON.stringify(body).replace('Ünal/😀', '\\u00dcn\\u0061l\\/\\uD83D\\ude00');
    expect(submissionOf(await alpha.create(escaped), 200).submission_id).toBe(submission_id);
  });

  it('creates no second submission or application', async () => {
    const body = fullEnquiry();
    const first = await created(alpha, body);
    const decided = await settled(alpha, first.submission_id, 'decided', isDecided);
    await alpha.create(body);
    await alpha.create(body);
    const byReference = submissionOf(await alpha.readByReference(first.external_reference), 200);
    expect(byReference).toEqual(decided);
  });
});

function turnedAround(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turnedAround(inner)]),
  );
}
