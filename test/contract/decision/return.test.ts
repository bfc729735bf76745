import { randomUUID } from 'node:crypto';
import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { refusalCodeOf, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { created, decided, supplier } from '../../harness/suppliers.ts';

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

describe('a refused return', () => {
  it.each([
    ['received', () => created(supplier('staffed'), enquiry())],
    ['rejected', () => decided(alpha, enquiry({ credit_screening: screening({ company_status: 'fail' }) }))],
    [
      'a duplicate',
      async () => {
        const { company_number } = enquiry();
        await decided(alpha, enquiry({ company_number }));
        return decided(alpha, enquiry({ company_number }));
      },
    ],
    [
      'returned already',
      async () => {
        const accepted = await decided(alpha, enquiry());
        await release(accepted.submission_id);
        return accepted;
      },
    ],
  ])('is refused while the submission is %s', async (_, made) => {
    const { submission_id } = await made();
    const error = await rpcErrorOf(release(submission_id, ReturnReasonCategory.OUTSTANDING_CCJS));
    expect([error.code, refusalCodeOf(error)]).toEqual([Code.FailedPrecondition, RefusalCode.WRONG_STATE]);
  });

  it('is refused for an unknown submission', async () => {
    expect((await rpcErrorOf(release(randomUUID()))).code).toBe(Code.NotFound);
  });

  it('is refused without a reason', async () => {
    const { submission_id } = await decided(alpha, enquiry());
    const error = await rpcErrorOf(release(submission_id, ReturnReasonCategory.UNSPECIFIED));
    expect(error.code).toBe(Code.InvalidArgument);
    expect(submissionOf(await alpha.read(submission_id), 200).status).toBe('accepted');
  });
});
