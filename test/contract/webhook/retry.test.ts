import { Status } from '@supplier/proto/common/v1/status';
import { DeliveryState } from '@supplier/proto/webhook/v1/webhook';
import { enquiry } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { readStack } from '../../harness/stack.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';
import { delivered, deliveriesOf, failNext, isSignedWith } from '../../harness/webhooks.ts';

// The receiver can fail one supplier's next deliveries, with any content. No other test has webhooks sent to this
// supplier, so the failure affects only this event.
const staffed = supplier('staffed');
const FIRST_GAP_MS = 15_000;
const JITTER = 0.2;

const decide = (submissionId: string) =>
  staff.submission().decideSubmission({ submissionId, decision: Status.ACCEPTED, reason: 'looked at' });

describe('a webhook about a decision by staff', () => {
  it('is sent like any other', async () => {
    const submission = await created(staffed, enquiry());
    await decide(submission.submission_id);
    await delivered(staffed, submission, 'accepted', (s) => s.status === 'accepted');
  });
});

describe('a webhook whose first attempt fails', () => {
  it('is retried after about 15 s with the same id and body, and a new signature', async () => {
    const submission = await created(staffed, enquiry());
    await failNext('staffed', 500, 1);
    await decide(submission.submission_id);
    const event = await waitFor(
      'the second attempt to succeed',
      async () => {
        const { events } = await staff.webhook().listEvents({ submissionId: submission.submission_id });
        const ended = events.find((e) => e.state === DeliveryState.DELIVERED);
        if (!ended) throw new NotYet(JSON.stringify(events.map((e) => [e.state, e.attempts.length])));
        return ended;
      },
      { withinMs: 90_000 },
    );

    expect(event.attempts.map((a) => [a.number, a.statusCode, a.errorClass])).toEqual([
      [1, 500, 'status'],
      [2, expect.any(Number), ''],
    ]);
    const deliveries = await deliveriesOf(staffed, submission);
    expect(deliveries).toHaveLength(2);
    const [first, second] = deliveries;
    if (!first || !second) throw new Error('two deliveries were expected');
    expect(second.rawBody).toBe(first.rawBody);
    expect(second.headers['svc-webhook-id']).toBe(first.headers['svc-webhook-id']);
    expect(first.envelope.id).toBe(event.eventId);
    expect(Number(second.headers['svc-webhook-timestamp'])).toBeGreaterThan(
      Number(first.headers['svc-webhook-timestamp']),
    );
    const secret = readStack().suppliers.staffed?.webhookSecret ?? 'none';
    expect(deliveries.map((delivery) => isSignedWith(secret, delivery))).toEqual([true, true]);

    const gap = Date.parse(second.receivedAt) - Date.parse(first.receivedAt);
    expect(gap).toBeGreaterThanOrEqual(FIRST_GAP_MS * (1 - JITTER) - 100);
    expect(gap).toBeLessThanOrEqual(FIRST_GAP_MS * (1 + JITTER) + 10_000);
  });
});
