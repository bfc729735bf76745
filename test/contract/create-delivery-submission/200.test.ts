import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullDelivery, minimalDelivery, newCompanyNumber } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { createdBasic, settled, supplier } from '../../harness/suppliers.ts';
import { NOTES } from '../create-submission/fields.ts';
import { insideText, rightValues, together, withRows } from '../create-submission/invalid-values.ts';

const alpha = supplier('alpha');

describe('delivery create', () => {
  it('returns the decision in the response', async () => {
    const body = fullDelivery();
    expect(await createdBasic(alpha, body)).toMatchObject({
      environment: 'sandbox',
      external_reference: body.external_reference,
      level: 'basic',
      status: 'accepted',
      decided_at: expect.any(String),
      billing: { billing_status: 'not_billable', not_billable_reason: 'sandbox' },
    });
  });

  it('accepts only the required fields, and a body without each optional field', async () => {
    // Without a company number a telephone seen before would count as a match, so this account has no other
    // submissions.
    const api = await newSupplier();
    expect(await createdBasic(api, minimalDelivery())).toMatchObject({ status: 'accepted', level: 'basic' });
    const required = Object.keys(minimalDelivery());
    for (const name of Object.keys(fullDelivery()).filter((field) => !required.includes(field))) {
      const { [name]: _left, ...body } = fullDelivery({ preferred_contact_method: 'phone' });
      await createdBasic(api, body);
    }
  });

  it('accepts every field at its bounds, and every listed value', async () => {
    const rows = [...rightValues(fullDelivery()), ...insideText(NOTES)];
    for (const some of together(rows.filter(([path]) => path !== 'external_reference')))
      submissionOf(await alpha.createBasic(withRows(fullDelivery(), some)), 200);
  });

  it('creates one Application without a promotion', async () => {
    const { submission_id } = await createdBasic(alpha, delivery());
    const minted = await settled(
      alpha,
      submission_id,
      'given its Application',
      (s) => s.application_reference !== null,
    );
    expect(minted).toMatchObject({ status: 'accepted', level: 'basic' });
  });

  it('returns a duplicate without an Application', async () => {
    const company_number = newCompanyNumber();
    await createdBasic(alpha, delivery({ company_number }));
    expect(await createdBasic(alpha, delivery({ company_number }))).toMatchObject({
      status: 'duplicate_not_accepted',
      decided_at: expect.any(String),
      application_reference: null,
    });
  });

  it('returns rejected where the account’s terms reject the enquiry', async () => {
    const picky = await newSupplier({ thresholds: { minimumFundingAmount: 50_000 } });
    expect(await createdBasic(picky, delivery({ funding_amount: 49_999 }))).toMatchObject({
      status: 'rejected',
      decided_at: expect.any(String),
    });
    expect(await createdBasic(picky, delivery({ funding_amount: 50_000 }))).toMatchObject({
      status: 'accepted',
    });
  });

  it('returns received where staff decide', async () => {
    expect(await createdBasic(supplier('staffed'), delivery())).toMatchObject({
      status: 'received',
      decided_at: null,
      application_reference: null,
    });
  });

  it('returns no arrival link, whether or not the account is enrolled', async () => {
    const { arrival_screen_url } = await createdBasic(supplier('journey'), delivery());
    expect(arrival_screen_url).toBeUndefined();
  });
});
