import { enquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { decided, supplier } from '../../harness/suppliers.ts';
import { delivered, deliveriesOf, rawDataOf } from '../../harness/webhooks.ts';
import { page } from './page.ts';

const api = supplier('journey');
const urlOf = (s: { handoff?: { customer_journey_url: string } }) => s.handoff?.customer_journey_url ?? '';

describe('handoff', () => {
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

  it('is in the acceptance webhook, which has the same bytes as a read by id', async () => {
    const seen = await decided(api, enquiry());
    const event = await delivered(api, seen, 'handoff', (s) => s.handoff !== undefined);
    expect(rawDataOf(event)).toBe((await api.read(seen.submission_id)).text);
    expect((await deliveriesOf(api, seen)).map(({ envelope }) => envelope.data.status)).not.toContain(
      'received',
    );
  });
});
