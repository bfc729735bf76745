import { Code } from '@connectrpc/connect';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { rpcErrorOf, staff } from '../../harness/rpc.ts';
import { decided, supplier } from '../../harness/suppliers.ts';

describe('a rejected enquiry', () => {
  it.each(['company_status', 'insolvency_or_winding_up'])(
    'is rejected when its screening failed at %s',
    async (check) => {
      const submission = await decided(
        supplier('alpha'),
        enquiry({ credit_screening: screening({ [check]: 'fail' }) }),
      );
      expect(submission).toMatchObject({
        status: 'rejected',
        decided_at: expect.any(String),
        application_reference: null,
        application_created_at: null,
      });
      const error = await rpcErrorOf(
        staff
          .submission()
          .getApplication({ purpose: 'read by a test', submissionId: submission.submission_id }),
      );
      expect(error.code).toBe(Code.NotFound);
    },
  );

  it('is not rejected when those checks are omitted', async () => {
    const credit_screening = screening({
      company_status: 'not_checked',
      insolvency_or_winding_up: 'not_checked',
      unsatisfied_ccjs: 'not_checked',
    });
    expect((await decided(supplier('alpha'), enquiry({ credit_screening }))).status).toBe('accepted');
  });

  it('frees its place under the cap for another', async () => {
    const api = await newSupplier({ caps: { acceptedPerDay: 1 } });
    const failed = enquiry({ credit_screening: screening({ company_status: 'fail' }) });
    expect((await decided(api, failed)).status).toBe('rejected');
    expect((await decided(api, enquiry())).status).toBe('accepted');
    expect((await decided(api, enquiry())).status).toBe('rejected');
  });
});
