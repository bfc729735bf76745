import { PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import { chargesAndCredits, ledgerOf, linesAfterLaterCharge } from '../../harness/billing.ts';
import { enquiry, newCompanyNumber, screening } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import type { StatusObject } from '../../harness/schemas.ts';
import { created, decided, isBilled, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const MODELS = [
  ['accepted_submission', 'alpha', BillingModel.ACCEPTED_SUBMISSION],
  ['application_created', 'journey', BillingModel.APPLICATION_CREATED],
  ['pre_underwriting_cleared', 'promoting', BillingModel.PRE_UNDERWRITING_CLEARED],
] as const;

describe.each(MODELS)('billing by %s in production', (billing_model, name, model) => {
  const api = supplier(name, 'production');
  const billed = (s: StatusObject) => settled(api, s.submission_id, 'billed', isBilled);

  it('starts pending, and becomes billable with one charge after acceptance', async () => {
    const first = await created(api, enquiry());
    expect(first.billing).toEqual({
      billing_status: 'pending',
      billable_at: null,
      billing_model,
      not_billable_reason: null,
    });
    const later = await billed(first);
    expect(later).toMatchObject({
      status: 'accepted',
      billing: { billing_status: 'billable', billing_model, not_billable_reason: null },
    });
    expect(Date.parse(later.billing.billable_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(later.decided_at ?? ''),
    );
    const submitted = await ledgerOf(first.submission_id);
    expect(submitted.billing?.billingModel).toBe(model);
    expect(chargesAndCredits(submitted)).toEqual(['charge']);
  });

  it('a rejected submission is not billable and costs nothing', async () => {
    const first = await created(api, enquiry({ credit_screening: screening({ company_status: 'fail' }) }));
    expect(await billed(first)).toMatchObject({
      status: 'rejected',
      billing: { billing_status: 'not_billable', billing_model, not_billable_reason: 'rejected' },
    });
    expect(await linesAfterLaterCharge(api, first.submission_id)).toEqual([]);
  });

  it('a duplicate is not billable and costs nothing', async () => {
    const company_number = newCompanyNumber();
    await decided(api, enquiry({ company_number }));
    const second = await created(api, enquiry({ company_number }));
    expect(await billed(second)).toMatchObject({
      status: 'duplicate_not_accepted',
      billing: { billing_status: 'not_billable', billing_model, not_billable_reason: 'duplicate' },
    });
    expect(await linesAfterLaterCharge(api, second.submission_id)).toEqual([]);
  });

  it('returning a billable submission reverses its charge with a credit, in the same change as the return', async () => {
    const { submission_id } = await billed(await created(api, enquiry()));
    await staff.submission().returnSubmission({
      submissionId: submission_id,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    // No wait: the status that shows the return must also show its effect on billing.
    const returned = await settled(api, submission_id, 'returned', (s) => s.status === 'returned', {
      withinMs: 0,
    });
    expect(returned.billing).toEqual({
      billing_status: 'not_billable',
      billable_at: null,
      billing_model,
      not_billable_reason: 'returned',
    });
    const submitted = await ledgerOf(submission_id, (l) => l.entries.length === 2);
    expect(chargesAndCredits(submitted)).toEqual(['charge', 'credit']);
    expect(new Set(submitted.entries.map((entry) => entry.entryId)).size).toBe(2);
  });

  it('ends as returned, with as many credits as charges, when pre-underwriting fails', async () => {
    const failing = enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) });
    const first = await created(api, failing);
    const returned = await settled(api, first.submission_id, 'returned', (s) => s.status === 'returned');
    expect(returned.billing).toMatchObject({
      billing_status: 'not_billable',
      not_billable_reason: 'returned',
    });
    const lines = billing_model === 'pre_underwriting_cleared' ? [] : ['charge', 'credit'];
    expect(await linesAfterLaterCharge(api, first.submission_id)).toEqual(lines);
  });
});

describe('billing by pre_underwriting_cleared', () => {
  it('stays pending while a failed submission awaits staff review', async () => {
    const api = await newSupplier(
      {
        billingModel: BillingModel.PRE_UNDERWRITING_CLEARED,
        preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF,
      },
      'production',
    );
    const failing = enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) });
    const queued = await decided(api, failing);
    // A later submission has been billed: an earlier billable one would have been billed by then.
    const later = await created(api, enquiry());
    await settled(api, later.submission_id, 'billed', isBilled);
    const seen = await settled(api, queued.submission_id, 'decided', isDecided);
    expect(seen).toMatchObject({ status: 'accepted', billing: { billing_status: 'pending' } });
  });
});
