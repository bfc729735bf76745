import { Scope } from '@supplier/proto/common/v1/principal';
import { newAccount } from '../../harness/accounts.ts';
import { enquiry, fullEnquiry, screening } from '../../harness/enquiries.ts';
import { CREATE_PATH } from '../../harness/http.ts';
import { submissionOf } from '../../harness/responses.ts';
import { created, decided, isDecided, settled, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('read by id', () => {
  it('returns 200 immediately after the 202, with the same submission', async () => {
    const first = await created(alpha, fullEnquiry());
    const read = submissionOf(await alpha.read(first.submission_id), 200);
    expect(read).toMatchObject({
      submission_id: first.submission_id,
      external_reference: first.external_reference,
      received_at: first.received_at,
    });
  });

  it('keeps the original response’s values, and adds the decision', async () => {
    const first = await created(alpha, fullEnquiry());
    const later = await settled(alpha, first.submission_id, 'decided', isDecided);
    expect(later).toMatchObject({ status: 'accepted', received_at: first.received_at, level: first.level });
    expect(Date.parse(later.decided_at ?? '')).toBeGreaterThanOrEqual(Date.parse(first.received_at));
  });

  it('returns 200 in every state that a submission can reach without staff', async () => {
    const customer = enquiry();
    expect((await decided(alpha, customer)).status).toBe('accepted');
    const twin = enquiry({ company_number: customer.company_number });
    expect((await decided(alpha, twin)).status).toBe('duplicate_not_accepted');
    const failed = enquiry({ credit_screening: screening({ company_status: 'fail' }) });
    expect((await decided(alpha, failed)).status).toBe('rejected');
    const waiting = await created(supplier('staffed'), enquiry());
    expect(submissionOf(await supplier('staffed').read(waiting.submission_id), 200).status).toBe('received');
  });

  it('accepts the id in capitals, which is the same UUID', async () => {
    const { submission_id } = await created(alpha, enquiry());
    expect(submissionOf(await alpha.read(submission_id.toUpperCase()), 200).submission_id).toBe(
      submission_id,
    );
  });

  it('requires only the scope for reads', async () => {
    const account = await newAccount();
    const { submission_id } = await created(await account.issue(), enquiry());
    const reader = await account.issue({ scopes: [Scope.READ] });
    expect(submissionOf(await reader.read(submission_id), 200).submission_id).toBe(submission_id);
  });

  it('ignores an unknown query', async () => {
    const { submission_id } = await created(alpha, enquiry());
    submissionOf(await alpha.call({ path: `${CREATE_PATH}/${submission_id}?verbose=1` }), 200);
  });
});
