import { fullEnquiry } from '../../harness/enquiries.ts';
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
