import { randomUUID } from 'node:crypto';
import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('contact correction 404', () => {
  it('returns 404 for an unknown id', async () => {
    expect(refusalOf(await alpha.correct(randomUUID(), correction()), 404).code).toBe('not_found');
  });

  it('returns the same 404 body for another supplier’s submission as for an unknown one', async () => {
    const { submission_id } = await createdBasic(alpha, delivery());
    const stranger = await newSupplier();
    const theirs = await stranger.correct(submission_id, correction());
    const unknown = await stranger.correct(randomUUID(), correction());
    refusalOf(theirs, 404);
    expect(theirs.text).toBe(unknown.text);
    expect(Object.keys(theirs.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
    // Nothing has been corrected: the revision is still the first.
    submissionOf(await alpha.correct(submission_id, correction()), 200);
  });

  it('returns 404 for another supplier’s submission with any revision, and for a key that its owner has used', async () => {
    const { submission_id } = await createdBasic(alpha, delivery());
    const body = correction();
    submissionOf(await alpha.correct(submission_id, body), 200);
    const stranger = await newSupplier();
    refusalOf(await stranger.correct(submission_id, body), 404);
    refusalOf(await stranger.correct(submission_id, correction({ expected_revision: 9 })), 404);
  });

  it('returns 404 for a submission of the other environment', async () => {
    const { submission_id } = await createdBasic(alpha, delivery());
    refusalOf(await supplier('alpha', 'production').correct(submission_id, correction()), 404);
  });
});
