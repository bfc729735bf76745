import { enquiry, fullEnquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { decided, isDecided, settled, supplier } from '../../harness/suppliers.ts';
import { delivered, deliveriesOf } from '../../harness/webhooks.ts';

const alpha = supplier('alpha');
const AT_ONCE = 200;

describe('concurrent creates', () => {
  it('with one body: one gets 202, the rest 200, with one submission, one application and one decision event', async () => {
    const text = JSON.stringify(fullEnquiry());
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => alpha.create(text)));

    const winners = answers.filter((answer) => answer.status === 202);
    const replays = answers.filter((answer) => answer.status === 200);
    expect({ winners: winners.length, replays: replays.length }).toEqual({
      winners: 1,
      replays: AT_ONCE - 1,
    });
    const all = [...winners.map((a) => submissionOf(a, 202)), ...replays.map((a) => submissionOf(a, 200))];
    expect(new Set(all.map((s) => s.submission_id)).size).toBe(1);

    const submissionId = all[0]?.submission_id ?? '';
    const submission = await settled(alpha, submissionId, 'decided', isDecided);
    expect(submission.status).toBe('accepted');
    const references = all.map((s) => s.application_reference).filter((reference) => reference !== null);
    const { applicationReference } = await staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId });
    expect(new Set([...references, submission.application_reference])).toEqual(
      new Set([applicationReference]),
    );

    await delivered(alpha, submission, 'accepted');
    // A later submission's webhook has arrived: a second event of this one would have been sent by then.
    const later = await decided(alpha, enquiry());
    await delivered(alpha, later, 'decided');
    expect(await deliveriesOf(alpha, submission)).toHaveLength(1);
    const { events } = await staff.webhook().listEvents({ submissionId });
    expect(events).toHaveLength(1);
  });
});
