import { randomUUID } from 'node:crypto';
import { newSupplier } from '../../harness/accounts.ts';
import { correction, delivery } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('contact correction 404', () => {
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
});
