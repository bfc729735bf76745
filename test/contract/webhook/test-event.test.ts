import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { DeliveryState, EventChange } from '@supplier/proto/webhook/v1/webhook';
import { newAccount } from '../../harness/accounts.ts';
import { eventsOf, newEndpoint, type OwnReceiver, startReceiver } from '../../harness/endpoints.ts';
import { enquiry, fullEnquiry } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { decided, type SupplierApi } from '../../harness/suppliers.ts';
import { isSignedWith, rawDataOf } from '../../harness/webhooks.ts';

let api: SupplierApi;
let receiver: OwnReceiver;
let secret: string;
beforeAll(async () => {
  const account = await newAccount();
  [api, receiver] = [await account.issue(), await startReceiver()];
  ({ secret } = await newEndpoint(account.accountId, receiver.url));
});
afterAll(() => receiver?.close());

describe('a test event', () => {
  it('is signed like any other event, is later than the one before, and has the content of a read', async () => {
    const { submission_id } = await decided(api, fullEnquiry());
    await receiver.about(submission_id, 1);
    const sent = await staff.webhook().sendTestEvent({ submissionId: submission_id });
    const [first, second] = await receiver.about(submission_id, 2);
    if (!first || !second) throw new Error('two arrivals were expected');
    expect(second.envelope).toMatchObject({ id: sent.eventId, type: 'submission.status_changed' });
    expect(second.headers['svc-webhook-id']).toBe(sent.eventId);
    expect(isSignedWith(secret, second)).toBe(true);
    expect(second.envelope.occurred_at > first.envelope.occurred_at).toBe(true);
    expect(sent.occurredAt && timestampDate(sent.occurredAt).toISOString()).toBe(second.envelope.occurred_at);
    expect(rawDataOf(second)).toBe((await api.read(submission_id)).text);
    expect(second.envelope.id).not.toBe(first.envelope.id);

    const events = await eventsOf(submission_id, 'delivered', (all) =>
      all.every(({ state }) => state === DeliveryState.DELIVERED),
    );
    expect(events.map(({ eventId, change }) => [eventId, change])).toEqual([
      [first.envelope.id, EventChange.DECIDED],
      [sent.eventId, EventChange.TEST],
    ]);
  });

  it('has the current status, with strictly increasing times however fast events are requested', async () => {
    const { submission_id: submissionId } = await decided(api, enquiry());
    await receiver.about(submissionId, 1);
    await staff.submission().returnSubmission({
      submissionId,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    await receiver.about(submissionId, 2);
    const sent = await Promise.all([1, 2, 3].map(() => staff.webhook().sendTestEvent({ submissionId })));
    // Events that await a first attempt may be merged into the latest, which arrives.
    const latest = sent.map(({ occurredAt }) => occurredAt && timestampDate(occurredAt).toISOString()).sort();
    expect(new Set(latest).size).toBe(3);
    const ENDS = [DeliveryState.DELIVERED, DeliveryState.SUPERSEDED];
    const events = await eventsOf(
      submissionId,
      'five that are settled',
      (all) => all.length === 5 && all.every(({ state }) => ENDS.includes(state)),
    );
    expect(events.at(-1)?.state).toBe(DeliveryState.DELIVERED);
    const arrivals = await receiver.about(submissionId, 3);
    const last = arrivals.find(({ envelope }) => envelope.occurred_at === latest.at(-1));
    expect(last?.envelope.data.status).toBe('returned');
    expect(last && rawDataOf(last)).toBe((await api.read(submissionId)).text);
    const times = arrivals.map(({ envelope }) => envelope.occurred_at);
    expect(new Set(times).size).toBe(times.length);
  });
});
