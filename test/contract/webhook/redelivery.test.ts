import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { DeliveryState, EventChange } from '@supplier/proto/webhook/v1/webhook';
import { newAccount } from '../../harness/accounts.ts';
import {
  eventsOf,
  exhaustedEventsOf,
  newEndpoint,
  type OwnReceiver,
  startReceiver,
} from '../../harness/endpoints.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { refusalCodeOf, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { decided, type SupplierApi } from '../../harness/suppliers.ts';
import { isSignedWith, rawDataOf } from '../../harness/webhooks.ts';

let api: SupplierApi;
let receiver: OwnReceiver;
let secret: string;
beforeEach(async () => {
  const account = await newAccount();
  [api, receiver] = [await account.issue(), await startReceiver()];
  ({ secret } = await newEndpoint(account.accountId, receiver.url));
});
afterEach(() => receiver?.close());

async function undelivered(count: number) {
  receiver.answers = 500;
  const submissions = await Promise.all(Array.from({ length: count }, () => decided(api, enquiry())));
  const ids = submissions.map(({ submission_id }) => submission_id);
  const events = await exhaustedEventsOf(ids);
  receiver.answers = 204;
  return { ids, events };
}

describe('an exhausted event', () => {
  it('is attempted eight times with the same content, and is redelivered once as a new event with the current status', async () => {
    const { ids, events } = await undelivered(1);
    const [submissionId = ''] = ids;
    const [old] = events;
    if (!old) throw new Error('an exhausted event was expected');
    expect(
      old.attempts.map(({ number, statusCode, errorClass }) => [number, statusCode, errorClass]),
    ).toEqual(Array.from({ length: 8 }, (_, index) => [index + 1, 500, 'status']));
    expect(receiver.arrivals).toHaveLength(8);
    expect(new Set(receiver.arrivals.map(({ rawBody }) => rawBody)).size).toBe(1);
    expect(receiver.arrivals.every((arrival) => isSignedWith(secret, arrival))).toBe(true);

    const { redelivery } = await staff.webhook().redeliverEvent({ eventId: old.eventId });
    expect(redelivery).toMatchObject({ submissionId, redeliveredEventIds: [old.eventId] });
    const arrivals = await receiver.about(submissionId, 9);
    const fresh = arrivals.at(-1);
    if (!fresh) throw new Error('a redelivery was expected');
    expect(fresh.envelope.id).toBe(redelivery?.eventId);
    expect(fresh.envelope.id).not.toBe(old.eventId);
    expect(fresh.envelope.occurred_at > (arrivals[0]?.envelope.occurred_at ?? '')).toBe(true);
    expect(isSignedWith(secret, fresh)).toBe(true);
    expect(rawDataOf(fresh)).toBe((await api.read(submissionId)).text);

    const [before, after] = await eventsOf(submissionId, 'delivered', (all) =>
      all.some(({ state }) => state === DeliveryState.DELIVERED),
    );
    expect(before).toMatchObject({ state: DeliveryState.EXHAUSTED, redeliveredAs: redelivery?.eventId });
    expect(after).toMatchObject({ eventId: redelivery?.eventId, change: EventChange.REDELIVERY });

    const again = await rpcErrorOf(staff.webhook().redeliverEvent({ eventId: old.eventId }));
    expect([again.code, refusalCodeOf(again)]).toEqual([Code.FailedPrecondition, RefusalCode.WRONG_STATE]);
    const delivered = await rpcErrorOf(
      staff.webhook().redeliverEvent({ eventId: redelivery?.eventId ?? '' }),
    );
    expect(refusalCodeOf(delivered)).toBe(RefusalCode.WRONG_STATE);
    expect(receiver.arrivals).toHaveLength(9);
  });
});
