import { DeliveryState } from '@supplier/proto/webhook/v1/webhook';
import { newAccount } from '../harness/accounts.ts';
import {
  eventsOf,
  gapEnds,
  leaseEnds,
  newEndpoint,
  type OwnReceiver,
  startReceiver,
} from '../harness/endpoints.ts';
import { enquiry } from '../harness/enquiries.ts';
import { everythingReady, kill, restarted } from '../harness/processes.ts';
import { created, decided } from '../harness/suppliers.ts';
import { isSignedWith, rawDataOf } from '../harness/webhooks.ts';

// services/webhook/src/deliver/kill.test.ts kills the process at each point of a delivery; here the events come end to
// end, from the supplier's request over NATS.
const AFTER_A_KILL = { withinMs: 120_000, throughErrors: true };

beforeEach(everythingReady);
const receivers: OwnReceiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function supplierWithReceiver() {
  const account = await newAccount();
  const [api, receiver] = [await account.issue(), await startReceiver()];
  receivers.push(receiver);
  return { api, receiver, ...(await newEndpoint(account.accountId, receiver.url)) };
}

describe('the webhook process killed while a receiver delays its response', () => {
  it('repeats that one attempt with the next number, and delivers the changes made while it was away once', async () => {
    const held = await supplierWithReceiver();
    const other = await supplierWithReceiver();
    const before = await decided(other.api, enquiry());
    await other.receiver.about(before.submission_id, 1);

    held.receiver.answers = 'nothing';
    const { submission_id } = await decided(held.api, enquiry());
    const [first] = await held.receiver.about(submission_id, 1);
    if (!first) throw new Error('a first attempt was expected');
    const pid = await kill('webhook');
    const meanwhile = await created(other.api, enquiry());
    held.receiver.answers = 204;
    await leaseEnds(first.envelope.id);
    await restarted('webhook', pid);

    await eventsOf(
      submission_id,
      'waiting again',
      ([e]) => (e?.attempts.length ?? 0) > 0 && e?.nextAttemptAt !== undefined,
      AFTER_A_KILL,
    );
    await gapEnds(first.envelope.id);
    const [, second] = await held.receiver.about(submission_id, 2);
    expect(second?.rawBody).toBe(first.rawBody);
    expect(second && isSignedWith(held.secret, second)).toBe(true);
    const events = await eventsOf(
      submission_id,
      'delivered',
      ([e]) => e?.state === DeliveryState.DELIVERED,
      AFTER_A_KILL,
    );
    expect(events.map(({ attempts }) => attempts.map((a) => [a.number, a.errorClass]))).toEqual([
      [
        [1, 'interrupted'],
        [2, ''],
      ],
    ]);

    const [late] = await other.receiver.about(meanwhile.submission_id, 1, AFTER_A_KILL);
    expect(late && rawDataOf(late)).toBe((await other.api.read(meanwhile.submission_id)).text);
    const after = await decided(other.api, enquiry());
    await other.receiver.about(after.submission_id, 1, AFTER_A_KILL);
    expect(other.receiver.arrivals.map(({ envelope }) => envelope.data.submission_id)).toEqual(
      [before, meanwhile, after].map((submission) => submission.submission_id),
    );
    expect(held.receiver.arrivals).toHaveLength(2);
  });
});
