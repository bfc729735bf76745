import { randomUUID } from 'node:crypto';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { created, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('read by id 404', () => {
  it('returns the same 404 body for another supplier’s submission as for an unknown one', async () => {
    const { submission_id } = await created(alpha, enquiry());
    const stranger = await newSupplier();
    const theirs = await stranger.read(submission_id);
    const unknown = await stranger.read(randomUUID());
    refusalOf(theirs, 404);
    expect(theirs.text).toBe(unknown.text);
    expect(Object.keys(theirs.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
    submissionOf(await alpha.read(submission_id), 200);
  });

  it('returns 404 for a submission of the other environment', async () => {
    const production = supplier('alpha', 'production');
    const { submission_id } = await created(alpha, enquiry());
    refusalOf(await production.read(submission_id), 404);
    const live = await created(production, enquiry());
    refusalOf(await alpha.read(live.submission_id), 404);
  });
});
