import { randomUUID } from 'node:crypto';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullPromotion } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi, supplier } from '../../harness/suppliers.ts';

let owner: SupplierApi;
beforeAll(async () => {
  owner = await newSupplier({ applicationMinting: ApplicationMinting.ON_PROMOTION });
});

describe('promotion 404', () => {
  it('returns 404 for an unknown id', async () => {
    expect(refusalOf(await owner.promote(randomUUID(), fullPromotion()), 404).code).toBe('not_found');
  });

  it('returns the same 404 body for another supplier’s submission as for an unknown one', async () => {
    const { submission_id } = await createdBasic(owner, delivery());
    const stranger = await newSupplier();
    const theirs = await stranger.promote(submission_id, fullPromotion());
    const unknown = await stranger.promote(randomUUID(), fullPromotion());
    refusalOf(theirs, 404);
    expect(theirs.text).toBe(unknown.text);
    expect(Object.keys(theirs.headers).sort()).toEqual(Object.keys(unknown.headers).sort());
    expect(submissionOf(await owner.read(submission_id), 200).application_reference).toBeNull();
  });

  it('returns 404 for another supplier’s submission in any state, and for a key that its owner has used', async () => {
    const { submission_id } = await createdBasic(owner, delivery());
    const body = fullPromotion();
    submissionOf(await owner.promote(submission_id, body), 200);
    const stranger = await newSupplier();
    refusalOf(await stranger.promote(submission_id, body), 404);
    refusalOf(await stranger.promote(submission_id, fullPromotion()), 404);
  });

  it('returns 404 for a submission of the other environment', async () => {
    const { submission_id } = await createdBasic(supplier('alpha'), delivery());
    refusalOf(await supplier('alpha', 'production').promote(submission_id, fullPromotion()), 404);
  });
});
