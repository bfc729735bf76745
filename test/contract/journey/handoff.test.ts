import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { decided, isBilled, settled, supplier } from '../../harness/suppliers.ts';
import { delivered, deliveriesOf, rawDataOf } from '../../harness/webhooks.ts';
import { page } from './page.ts';

const api = supplier('journey');
const HOURS_MS = 3_600_000;
const urlOf = (s: { handoff?: { customer_journey_url: string } }) => s.handoff?.customer_journey_url ?? '';

describe('handoff', () => {
  it('is present once an enrolled submission is accepted, and works once, for 72 hours', async () => {
    const { handoff, decided_at } = await decided(api, enquiry());
    expect(handoff).toMatchObject({ single_use: true });
    const hours = (Date.parse(handoff?.expires_at ?? '') - Date.parse(decided_at ?? '')) / HOURS_MS;
    expect(hours).toBeCloseTo(72, 1);
  });

  it('is absent for a rejected submission and for an account that is not enrolled', async () => {
    const rejected = enquiry({ credit_screening: screening({ company_status: 'fail' }) });
    expect(await decided(api, rejected)).not.toHaveProperty('handoff');
    expect(await decided(supplier('alpha'), enquiry())).not.toHaveProperty('handoff');
  });

  it('stays the same in both reads and in a replay until it is used', async () => {
    const body = enquiry();
    const { submission_id, external_reference, handoff } = await decided(api, body);
    for (const answer of [
      await api.read(submission_id),
      await api.readByReference(external_reference),
      await api.create(body),
    ]) {
      expect(submissionOf(answer, 200).handoff).toEqual(handoff);
    }
  });

  it('is replaced by a read by id after it was used, once for all callers; a read by reference creates none', async () => {
    const seen = await decided(api, enquiry());
    expect((await page(urlOf(seen), 'POST')).status).toBe(200);
    const byReference = await api.readByReference(seen.external_reference);
    expect(submissionOf(byReference, 200)).not.toHaveProperty('handoff');
    const reads = await Promise.all(Array.from({ length: 10 }, () => api.read(seen.submission_id)));
    const urls = new Set(reads.map((answer) => urlOf(submissionOf(answer, 200))));
    expect(urls.size).toBe(1);
    expect(urls).not.toContain(urlOf(seen));
    expect(urls).not.toContain('');
  });

  it('expires when the submission is returned', async () => {
    const seen = await decided(api, enquiry());
    const { submission_id: submissionId } = seen;
    await staff.submission().returnSubmission({
      submissionId,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    expect(submissionOf(await api.read(submissionId), 200)).not.toHaveProperty('handoff');
    expect((await page(urlOf(seen), 'POST')).status).toBe(410);
  });

  it('is not shown to any staff role', async () => {
    const { submission_id: submissionId } = await decided(api, enquiry());
    expect((await staff.submission().getSubmission({ submissionId })).handoff).toBeUndefined();
  });

  it('is in the acceptance webhook, which has the same bytes as a read by id', async () => {
    const seen = await decided(api, enquiry());
    const event = await delivered(api, seen, 'handoff', (s) => s.handoff !== undefined);
    expect(rawDataOf(event)).toBe((await api.read(seen.submission_id)).text);
    expect((await deliveriesOf(api, seen)).map(({ envelope }) => envelope.data.status)).not.toContain(
      'received',
    );
  });

  it('is in later webhooks of the submission while it is accepted', async () => {
    const live = supplier('journey', 'production');
    const { submission_id } = await decided(live, enquiry());
    const seen = await settled(live, submission_id, 'billed', isBilled);
    const event = await delivered(live, seen, 'billed', isBilled);
    expect(rawDataOf(event)).toBe((await live.read(submission_id)).text);
    expect(event.envelope.data.handoff).toEqual(seen.handoff);
  });

  it('sends no webhook when only the link is renewed', async () => {
    const seen = await decided(api, enquiry());
    await delivered(api, seen, 'handoff', (s) => s.handoff !== undefined);
    await page(urlOf(seen), 'POST');
    submissionOf(await api.read(seen.submission_id), 200);
    const { events } = await staff.webhook().listEvents({ submissionId: seen.submission_id });
    expect(events).toHaveLength(1);
  });
});
