import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { enquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { decided, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const release = (submissionId: string, reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS) =>
  staff.submission().returnSubmission({ submissionId, reasonCategory });

describe('a submission returned by staff', () => {
  it.each([
    ['company_dissolved_or_insolvent', ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT],
    ['outstanding_ccjs', ReturnReasonCategory.OUTSTANDING_CCJS],
    ['adverse_credit_profile', ReturnReasonCategory.ADVERSE_CREDIT_PROFILE],
    ['weak_financial_position', ReturnReasonCategory.WEAK_FINANCIAL_POSITION],
    ['overdue_filings', ReturnReasonCategory.OVERDUE_FILINGS],
    ['pre_underwriting_criteria_not_met', ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET],
  ])('shows %s, and keeps its decision and its application', async (reason_category, category) => {
    const accepted = await decided(alpha, enquiry());
    await release(accepted.submission_id, category);
    const returned = submissionOf(await alpha.read(accepted.submission_id), 200);
    expect(returned).toEqual({
      ...accepted,
      status: 'returned',
      return: { reason_category, reason_category_version: 'v1', returned_at: expect.any(String) },
    });
    expect(Date.parse(returned.return?.returned_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(accepted.decided_at ?? ''),
    );
  });
});
