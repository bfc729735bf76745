import { newSupplier } from '../../harness/accounts.ts';
import {
  delivery,
  fullDelivery,
  minimalDelivery,
  newCompanyNumber,
  withValue,
} from '../../harness/enquiries.ts';
import { createdBasic, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const ENUMS = {
  business_sector: [
    'construction',
    'transport',
    'manufacturing',
    'motor-trade',
    'retail-wholesale',
    'hospitality',
    'professional-services',
    'healthcare',
    'agriculture',
    'beauty-wellness',
    'facilities',
    'technology-media',
    'education',
    'other',
  ],
  preferred_contact_method: ['email', 'phone', 'either'],
  funding_timeframe: ['asap', 'within-1-month', 'within-3-months', 'planning-ahead'],
  trading_duration: ['less-than-1', '1-2-years', '2-5-years', '5-plus-years'],
  funding_purpose: [
    'working-capital',
    'equipment',
    'stock',
    'vehicles',
    'property',
    'tax-vat',
    'acquisition',
    'refinance',
    'other',
  ],
  annual_turnover_range: ['under-100k', '100k-250k', '250k-500k', '500k-1m', '1m-5m', 'over-5m'],
};

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

  it.each(Object.entries(ENUMS).flatMap(([path, values]) => values.map((value) => [path, value] as const)))(
    'accepts %s = %s',
    async (path, value) => {
      await createdBasic(alpha, withValue(fullDelivery(), path, value));
    },
  );

  it.each([
    ['notes', 500],
    ['funding_purpose_detail', 200],
    ['company_number', 20],
    ['email', 320],
  ])('accepts %s of %s four-byte characters', async (path, length) => {
    await createdBasic(alpha, fullDelivery({ [path]: '😀'.repeat(length) }));
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
