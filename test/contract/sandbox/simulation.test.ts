import { Status } from '@supplier/proto/common/v1/status';
import { enquiry } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { created, decided, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const named = (business_name: string) => enquiry({ business_name });

describe('sandbox simulation by business name', () => {
  it.each([
    ['Sandbox Accept Ltd', 'accepted'],
    ['Sandbox Reject Ltd', 'rejected'],
    ['Sandbox Duplicate Ltd', 'duplicate_not_accepted'],
  ])('decides %s as %s', async (name, status) => {
    const submission = await decided(supplier('alpha'), named(name));
    expect(submission.status).toBe(status);
    expect(submission.billing).toMatchObject({
      billing_status: 'not_billable',
      not_billable_reason: 'sandbox',
    });
  });

  it('accepts Sandbox Return overdue_filings Ltd and then returns it for that reason', async () => {
    const api = supplier('alpha');
    const { submission_id } = await created(api, named('Sandbox Return overdue_filings Ltd'));
    const returned = await settled(api, submission_id, 'returned', ({ status }) => status === 'returned');
    expect(returned.return).toMatchObject({
      reason_category: 'overdue_filings',
      reason_category_version: 'v1',
    });
    expect(returned.application_reference).toMatch(/^APP-/);
  });

  it('keeps Sandbox Pending Ltd received until staff decide', async () => {
    const api = supplier('alpha');
    const waiting = await created(api, named('Sandbox Pending Ltd'));
    // A later submission is decided meanwhile: an automatic decision of this one would have been made by now.
    await decided(api, named('Sandbox Accept Ltd'));
    expect((await settled(api, waiting.submission_id, 'waiting', () => true)).status).toBe('received');
    await staff.submission().decideSubmission({
      submissionId: waiting.submission_id,
      decision: Status.ACCEPTED,
      reason: 'seen',
    });
    expect((await settled(api, waiting.submission_id, 'decided', isDecided)).status).toBe('accepted');
  });

  it('returns 503 for Sandbox Unavailable Ltd and stores nothing', async () => {
    const api = supplier('alpha');
    const body = named('Sandbox Unavailable Ltd');
    const answer = await api.create(body);
    expect(refusalOf(answer, 503).code).toBe('service_unavailable');
    const reference = String(body.external_reference);
    expect(refusalOf(await api.readByReference(reference), 404).code).toBe('not_found');
  });
});
