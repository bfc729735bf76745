import { randomUUID } from 'node:crypto';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullPromotion } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { createdBasic, type SupplierApi } from '../../harness/suppliers.ts';

let owner: SupplierApi;
beforeAll(async () => {
  owner = await newSupplier({ applicationMinting: ApplicationMinting.ON_PROMOTION });
});

describe('promotion 404', () => {
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
});
