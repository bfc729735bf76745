import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { DeliveryState, EventChange } from '@supplier/proto/webhook/v1/webhook';
import { newAccount } from '../../harness/accounts.ts';
import {
  endpointOf,
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
let at: ReturnType<typeof endpointOf>;
beforeEach(async () => {
  const account = await newAccount();
  [api, receiver, at] = [await account.issue(), await startReceiver(), endpointOf(account.accountId)];
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

describe('redelivery of all exhausted events since a time', () => {
  it('sends each submission’s current status, and only once', async () => {
    const since = timestampFromDate(new Date(Date.now() - 60_000));
    const { ids } = await undelivered(3);
    const [returned = ''] = ids;
    // One of them changes meanwhile, and that delivery fails too.
    receiver.answers = 500;
    await staff.submission().returnSubmission({
      submissionId: returned,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    await eventsOf(returned, 'reported twice', (events) => events.length === 2);
    await exhaustedEventsOf([returned]);
    receiver.answers = 204;
    const soFar = receiver.arrivals.length;

    const { redeliveries, more } = await staff.webhook().redeliverExhausted({ ...at, since });
    expect(more).toBe(false);
    expect(redeliveries.map(({ submissionId }) => submissionId).sort()).toEqual([...ids].sort());
    const of = (id: string) => redeliveries.find(({ submissionId }) => submissionId === id);
    expect(of(returned)?.redeliveredEventIds).toHaveLength(2);
    for (const id of ids) {
      const arrivals = await receiver.about(id, id === returned ? 17 : 9);
      const last = arrivals.at(-1);
      expect(last?.envelope.id).toBe(of(id)?.eventId);
      expect(last && rawDataOf(last)).toBe((await api.read(id)).text);
    }
    expect(await staff.webhook().redeliverExhausted({ ...at, since })).toMatchObject({
      redeliveries: [],
      more: false,
    });
    expect(receiver.arrivals).toHaveLength(soFar + 3);
  });

  it('sends nothing when the time is later or nothing was exhausted', async () => {
    const since = timestampFromDate(new Date());
    const { submission_id } = await decided(api, enquiry());
    await receiver.about(submission_id, 1);
    expect(await staff.webhook().redeliverExhausted({ ...at, since })).toMatchObject({ redeliveries: [] });
  });
});

describe('a refused redelivery', () => {
  it('is refused for an unknown event', async () => {
    const error = await rpcErrorOf(staff.webhook().redeliverEvent({ eventId: randomUUID() }));
    expect([error.code, refusalCodeOf(error)]).toEqual([Code.NotFound, RefusalCode.NOT_FOUND]);
  });

  it('is refused for a delivered or pending event', async () => {
    const { submission_id } = await decided(api, enquiry());
    const [done] = await eventsOf(submission_id, 'delivered', ([e]) => e?.state === DeliveryState.DELIVERED);
    receiver.answers = 500;
    const waiting = await decided(api, enquiry());
    const [pending] = await eventsOf(
      waiting.submission_id,
      'failed once',
      ([e]) => e?.attempts.length === 1 && e.nextAttemptAt !== undefined,
    );
    for (const event of [done, pending]) {
      const error = await rpcErrorOf(staff.webhook().redeliverEvent({ eventId: event?.eventId ?? '' }));
      expect(refusalCodeOf(error)).toBe(RefusalCode.WRONG_STATE);
    }
  });

  it('is refused while the endpoint is disabled or missing', async () => {
    const since = timestampFromDate(new Date(0));
    await staff.webhook().disableEndpoint(at);
    const disabled = await rpcErrorOf(staff.webhook().redeliverExhausted({ ...at, since }));
    expect(refusalCodeOf(disabled)).toBe(RefusalCode.WRONG_STATE);
    const none = await rpcErrorOf(staff.webhook().redeliverExhausted({ ...endpointOf(randomUUID()), since }));
    expect(refusalCodeOf(none)).toBe(RefusalCode.NOT_FOUND);
  });
});
