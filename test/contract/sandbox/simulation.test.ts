import { Status } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { created, decided, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const RETURN_CATEGORIES = [
  'company_dissolved_or_insolvent',
  'outstanding_ccjs',
  'adverse_credit_profile',
  'weak_financial_position',
  'overdue_filings',
  'pre_underwriting_criteria_not_met',
];
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

  it.each(['Sandbox Accept Ltd', 'Sandbox PU Fail Ltd'])('does not count %s towards a cap', async (name) => {
    const api = await newSupplier({ caps: { acceptedPerDay: 1 } });
    await decided(api, named(name));
    expect((await decided(api, enquiry())).status).toBe('accepted');
  });

  it('accepts the same customer repeatedly', async () => {
    const customer = enquiry({ business_name: 'Sandbox Accept Ltd' });
    for (let time = 0; time < 2; time += 1) {
      const again = { ...customer, external_reference: newReference() };
      expect((await decided(supplier('alpha'), again)).status).toBe('accepted');
    }
  });

  it.each(RETURN_CATEGORIES)(
    'accepts Sandbox Return %s Ltd and then returns it for that reason',
    async (category) => {
      const api = supplier('alpha');
      const { submission_id } = await created(api, named(`Sandbox Return ${category} Ltd`));
      const returned = await settled(api, submission_id, 'returned', ({ status }) => status === 'returned');
      expect(returned.return).toMatchObject({ reason_category: category, reason_category_version: 'v1' });
      expect(returned.application_reference).toMatch(/^APP-/);
    },
  );

  it('returns Sandbox PU Fail Ltd because it does not meet the criteria', async () => {
    const api = supplier('alpha');
    const { submission_id } = await created(api, named('Sandbox PU Fail Ltd'));
    const returned = await settled(api, submission_id, 'returned', ({ status }) => status === 'returned');
    expect(returned.return?.reason_category).toBe('pre_underwriting_criteria_not_met');
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

  it('does not simulate in production', async () => {
    const api = supplier('alpha', 'production');
    for (const name of ['Sandbox Reject Ltd', 'Sandbox Unavailable Ltd', 'Sandbox Pending Ltd']) {
      expect((await decided(api, named(name))).status).toBe('accepted');
    }
  });
});
