import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { enquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { decided, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

it('a submission returned by staff shows the category, and keeps its decision and its application', async () => {
  const accepted = await decided(alpha, enquiry());
  const { submission_id: submissionId } = accepted;
  const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
  await staff.submission().returnSubmission({ submissionId, reasonCategory });
  const returned = submissionOf(await alpha.read(submissionId), 200);
  expect(returned).toEqual({
    ...accepted,
    status: 'returned',
    return: {
      reason_category: 'overdue_filings',
      reason_category_version: 'v1',
      returned_at: expect.any(String),
    },
  });
  expect(Date.parse(returned.return?.returned_at ?? '')).toBeGreaterThanOrEqual(
    Date.parse(accepted.decided_at ?? ''),
  );
});
