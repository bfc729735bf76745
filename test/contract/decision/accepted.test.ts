import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { fullEnquiry } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { decided, supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

describe('an enquiry that breaks no rule', () => {
  it('is accepted, and has its only application from then on', async () => {
    const submission = await decided(supplier('alpha'), fullEnquiry());
    expect(submission).toMatchObject({
      status: 'accepted',
      decided_at: expect.any(String),
      application_reference: expect.stringMatching(/^APP-[0-9A-HJKMNP-TV-Z]{10}$/),
      application_created_at: expect.any(String),
    });
    expect(Date.parse(submission.application_created_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(submission.received_at),
    );
  });

  it('gives staff an application with the original enquiry, the decision and the pre-underwriting result', async () => {
    const body = fullEnquiry();
    const { submission_id, application_reference } = await decided(supplier('alpha'), body);
    const application = await waitFor('pre-underwriting to end', async () => {
      const seen = await staff
        .submission()
        .getApplication({ purpose: 'read by a test', submissionId: submission_id });
      if (seen.preUnderwriting?.state === PreUnderwritingState.PENDING) throw new NotYet('pending');
      return seen;
    });
    expect(application).toMatchObject({
      applicationReference: application_reference,
      submissionId: submission_id,
      snapshot: {
        firstName: body.first_name,
        email: body.email,
        companyNumber: body.company_number,
        fundingAmount: body.funding_amount,
        homeAddress: { postcode: 'LS1 1AA' },
        contactExpectation: { wordingVersion: 'contact-3' },
        creditScreening: { provider: 'screening_provider' },
      },
      preUnderwriting: { state: PreUnderwritingState.CLEARED, reasons: [] },
    });
    expect(application.decision?.policyVersion).not.toBe('');
    expect(application.decision?.rule).not.toBe('');
  });
});
