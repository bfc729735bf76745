import { PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { type PreUnderwriting, PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { newSupplier } from '../../harness/accounts.ts';
import { type Body, declared, enquiry, screening } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { created, decided, settled, supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const alpha = supplier('alpha');
const screened = (changes: Body, more: Body = {}): Body =>
  enquiry({ credit_screening: screening({ ...more, declared: declared(changes) }) });

describe('an accepted submission that fails pre-underwriting', () => {
  it.each([
    ['unsatisfied court judgments', 'outstanding_ccjs', screened({}, { unsatisfied_ccjs: 'fail' })],
    [
      'a number of judgments, regardless of their details',
      'outstanding_ccjs',
      screened({}, { unsatisfied_ccjs: 'not_checked', unsatisfied_ccj_count: 2 }),
    ],
    ['adverse credit today', 'adverse_credit_profile', screened({ adverse_credit: 'current' })],
    ['overdue repayments', 'weak_financial_position', screened({ overdue_finance_repayments: true })],
    [
      'tax arrears without a payment plan',
      'weak_financial_position',
      screened({ hmrc_arrears: 'without_payment_plan' }),
    ],
    [
      'several failures, with the first as the reason',
      'outstanding_ccjs',
      screened({ adverse_credit: 'current', overdue_finance_repayments: true }, { unsatisfied_ccjs: 'fail' }),
    ],
    [
      'adverse credit and overdue repayments, with the first as the reason',
      'adverse_credit_profile',
      screened({ adverse_credit: 'current', overdue_finance_repayments: true }),
    ],
  ])('is returned for %s', async (_, reason_category, body) => {
    const { submission_id } = await created(alpha, body);
    const returned = await settled(alpha, submission_id, 'returned', (s) => s.status === 'returned');
    expect(returned).toMatchObject({
      decided_at: expect.any(String),
      application_reference: expect.any(String),
      return: { reason_category, reason_category_version: 'v1' },
    });
    expect(Date.parse(returned.return?.returned_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(returned.decided_at ?? ''),
    );
    const { preUnderwriting } = await staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId: submission_id });
    expect(preUnderwriting).toMatchObject({ state: PreUnderwritingState.NOT_CLEARED });
    expect(preUnderwriting?.reasons.length).toBeGreaterThan(0);
  });

  it('is not returned for unchecked judgments, arrears with a payment plan, or past adverse credit', async () => {
    const body = screened(
      { adverse_credit: 'previously_resolved', hmrc_arrears: 'with_payment_plan', personal_guarantee: 'no' },
      { unsatisfied_ccjs: 'not_checked', unsatisfied_ccj_count: 0 },
    );
    const { submission_id } = await decided(alpha, body);
    expect(await assessed(submission_id)).toMatchObject({ state: PreUnderwritingState.CLEARED, reasons: [] });
    expect(submissionOf(await alpha.read(submission_id), 200).status).toBe('accepted');
  });
});

describe('an account that queues failed submissions for staff', () => {
  it('keeps them accepted until staff return them', async () => {
    const api = await newSupplier({ preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF });
    const { submission_id } = await decided(api, screened({}, { unsatisfied_ccjs: 'fail' }));
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
