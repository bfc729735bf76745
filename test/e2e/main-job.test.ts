import { chargesAndCredits, ledgerOf } from '../harness/billing.ts';
import { fullEnquiry } from '../harness/enquiries.ts';
import { submissionOf } from '../harness/responses.ts';
import { staff } from '../harness/rpc.ts';
import { readStack } from '../harness/stack.ts';
import { isBilled, settled, supplier } from '../harness/suppliers.ts';
import { delivered, isSignedWith, rawDataOf } from '../harness/webhooks.ts';

describe('the main job', () => {
  it('takes an enquiry to a decision, an application, a billing state and a verified webhook', async () => {
    const alpha = supplier('alpha', 'production');
    const body = fullEnquiry();

    const first = submissionOf(await alpha.create(body), 202);
    expect(first).toMatchObject({ status: 'received', billing: { billing_status: 'pending' } });

    const ended = await settled(alpha, first.submission_id, 'billed', isBilled);
    expect(ended).toMatchObject({ status: 'accepted', billing: { billing_status: 'billable' } });

    const application = await staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId: first.submission_id });
    expect(application.applicationReference).toBe(ended.application_reference);
    expect(application.snapshot).toMatchObject({ firstName: body.first_name });

    expect(chargesAndCredits(await ledgerOf(first.submission_id))).toEqual(['charge']);

    const event = await delivered(alpha, first, 'accepted and billed', isBilled);
    expect(event.verified).toBe(true);
    expect(isSignedWith(readStack().suppliers.alpha?.liveWebhookSecret ?? 'none', event)).toBe(true);

    const read = await alpha.read(first.submission_id);
    expect(rawDataOf(event)).toBe(read.text);
    expect((await alpha.readByReference(first.external_reference)).text).toBe(read.text);
    expect((await alpha.create(body)).text).toBe(read.text);
  });
});
