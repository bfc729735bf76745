import { Code } from '@connectrpc/connect';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { rpcErrorOf, staff } from '../../harness/rpc.ts';
import { decided, supplier } from '../../harness/suppliers.ts';

it('an enquiry whose screening failed is rejected, without an application', async () => {
  const failing = enquiry({ credit_screening: screening({ insolvency_or_winding_up: 'fail' }) });
  const submission = await decided(supplier('alpha'), failing);
  expect(submission).toMatchObject({
    status: 'rejected',
    decided_at: expect.any(String),
    application_reference: null,
    application_created_at: null,
  });
  const { submission_id: submissionId } = submission;
  const asked = staff.submission().getApplication({ purpose: 'read by a test', submissionId });
  expect((await rpcErrorOf(asked)).code).toBe(Code.NotFound);
});
