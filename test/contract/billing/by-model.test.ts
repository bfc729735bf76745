import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { chargesAndCredits, ledgerOf, linesAfterLaterCharge } from '../../harness/billing.ts';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import type { StatusObject } from '../../harness/schemas.ts';
import { created, isBilled, settled, supplier } from '../../harness/suppliers.ts';

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
