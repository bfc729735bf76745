import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import { chargesAndCredits, ledgerIfAny } from '../../harness/billing.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { created, isDecided, settled } from '../../harness/suppliers.ts';

const never = { billing_status: 'not_billable', billable_at: null, not_billable_reason: 'sandbox' };

describe('billing in the sandbox', () => {
  it.each([
    ['accepted_submission', BillingModel.ACCEPTED_SUBMISSION],
    ['application_created', BillingModel.APPLICATION_CREATED],
    ['pre_underwriting_cleared', BillingModel.PRE_UNDERWRITING_CLEARED],
  ])('billing by %s never changes on receipt, acceptance or return', async (billing_model, model) => {
    const api = await newSupplier({ billingModel: model });
    const first = await created(api, enquiry());
    expect(first.billing).toEqual({ ...never, billing_model });
    const accepted = await settled(api, first.submission_id, 'decided', isDecided);
    expect(accepted.billing).toEqual({ ...never, billing_model });
    await staff.submission().returnSubmission({
      submissionId: first.submission_id,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    const returned = await settled(api, first.submission_id, 'returned', (s) => s.status === 'returned');
    expect(returned.billing).toEqual({ ...never, billing_model });
    const submitted = await ledgerIfAny(first.submission_id);
    expect(submitted ? chargesAndCredits(submitted) : []).toEqual([]);
  });
});
