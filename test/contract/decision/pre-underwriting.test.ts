import { PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { type PreUnderwriting, PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { newSupplier } from '../../harness/accounts.ts';
import { declared, enquiry, screening } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { created, decided, settled, supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

// The service's own tests cover the other rules of the policy.
const failing = () =>
  enquiry({ credit_screening: screening({ declared: declared({ adverse_credit: 'current' }) }) });

describe('an accepted submission that fails pre-underwriting', () => {
  it('is returned for the reason of its rule', async () => {
    const alpha = supplier('alpha');
    const { submission_id } = await created(alpha, failing());
    const returned = await settled(alpha, submission_id, 'returned', (s) => s.status === 'returned');
    expect(returned).toMatchObject({
      decided_at: expect.any(String),
      application_reference: expect.any(String),
      return: { reason_category: 'adverse_credit_profile', reason_category_version: 'v1' },
    });
    expect(Date.parse(returned.return?.returned_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(returned.decided_at ?? ''),
    );
    const { state, reasons } = await assessed(submission_id);
    expect(state).toBe(PreUnderwritingState.NOT_CLEARED);
    expect(reasons.length).toBeGreaterThan(0);
  });

  it('stays accepted until staff return it, where the account queues such submissions', async () => {
    const api = await newSupplier({ preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF });
    const { submission_id } = await decided(api, failing());
    expect((await assessed(submission_id)).reasons.length).toBeGreaterThan(0);
    expect(submissionOf(await api.read(submission_id), 200).status).toBe('accepted');
    await staff.submission().returnSubmission({
      submissionId: submission_id,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    expect(submissionOf(await api.read(submission_id), 200)).toMatchObject({
      status: 'returned',
      return: { reason_category: 'overdue_filings' },
    });
  });
});

/** Returns the findings of pre-underwriting, once its rules have run. */
const assessed = (submissionId: string): Promise<PreUnderwriting> =>
  waitFor('pre-underwriting to be done', async () => {
    const { preUnderwriting } = await staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId });
    if (!preUnderwriting?.completedAt) throw new NotYet('pending');
    return preUnderwriting;
  });
