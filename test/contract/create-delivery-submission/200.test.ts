import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullDelivery, minimalDelivery } from '../../harness/enquiries.ts';
import { createdBasic, supplier } from '../../harness/suppliers.ts';

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

  it('returns no arrival link, whether or not the account is enrolled', async () => {
    const { arrival_screen_url } = await createdBasic(supplier('journey'), delivery());
    expect(arrival_screen_url).toBeUndefined();
  });
});
