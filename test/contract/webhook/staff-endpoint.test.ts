import { Code } from '@connectrpc/connect';
import { DeliveryState, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { newAccount } from '../../harness/accounts.ts';
import {
  endpointOf,
  eventsOf,
  gapEnds,
  isSignedOnlyWith,
  newEndpoint,
  type OwnReceiver,
  startReceiver,
} from '../../harness/endpoints.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { rpcClient, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { decided, type SupplierApi } from '../../harness/suppliers.ts';
import { rawDataOf } from '../../harness/webhooks.ts';

const receivers: OwnReceiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function receiving(): Promise<OwnReceiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}

/** Returns a new supplier whose endpoint leads to a new receiver. */
async function withEndpoint() {
  const receiver = await receiving();
  const account = await newAccount();
  const api: SupplierApi = await account.issue();
  const at = endpointOf(account.accountId);
  return { receiver, api, at, ...(await newEndpoint(account.accountId, receiver.url)) };
}

const webhooks = () => staff.webhook();

describe('creating an endpoint', () => {
  it('shows the secret once, and only its fingerprint from then on', async () => {
    const { at, secret } = await withEndpoint();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    const shown = await webhooks().getEndpoint(at);
    expect(
      JSON.stringify(shown, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(secret);
    expect(shown).toMatchObject({ enabled: true, keyFingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) });
  });
});

describe('changing the URL of an endpoint', () => {
  it('sends later events to only the new URL, including a retry of an earlier event', async () => {
    const { receiver, api, at } = await withEndpoint();
    receiver.answers = 500;
    const earlier = await decided(api, enquiry());
    const [failed] = await eventsOf(
      earlier.submission_id,
      'failed once',
      ([e]) => e?.attempts.length === 1 && e.nextAttemptAt !== undefined,
    );
    const moved = await receiving();
    expect(await webhooks().updateEndpointUrl({ ...at, url: moved.url })).toMatchObject({ url: moved.url });
    await gapEnds(failed?.eventId ?? '');
    const later = await decided(api, enquiry());
    const [retried] = await moved.about(earlier.submission_id, 1);
    await moved.about(later.submission_id, 1);
    expect(retried?.rawBody).toBe(receiver.arrivals[0]?.rawBody);
    expect(receiver.arrivals).toHaveLength(1);
  });
});

describe('a disabled endpoint', () => {
  it('never gets changes from the time it was disabled, and gets all later changes once enabled', async () => {
    const { receiver, api, at } = await withEndpoint();
    expect(await webhooks().disableEndpoint(at)).toMatchObject({ enabled: false });
    const missed = await decided(api, enquiry());
    await eventsOf(missed.submission_id, 'looked at', (events) => events.length === 1);
    expect(await webhooks().enableEndpoint(at)).toMatchObject({ enabled: true });
    const later = await decided(api, enquiry());
    const [arrival] = await receiver.about(later.submission_id, 1);
    expect(arrival && rawDataOf(arrival)).toBe((await api.read(later.submission_id)).text);
    expect(receiver.arrivals).toHaveLength(1);
    const { events } = await webhooks().listEvents({ submissionId: missed.submission_id });
    expect(events.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      [DeliveryState.DROPPED, 0],
    ]);
  });

  it('gets events that were already pending, but only once it is enabled again', async () => {
    const { receiver, api, at } = await withEndpoint();
    receiver.answers = 500;
    const { submission_id } = await decided(api, enquiry());
    const [failed] = await eventsOf(
      submission_id,
      'failed once',
      ([e]) => e?.attempts.length === 1 && e.nextAttemptAt !== undefined,
    );
    await webhooks().disableEndpoint(at);
    await gapEnds(failed?.eventId ?? '');
    receiver.answers = 204;
    // Another supplier's later event arrives: due events have been processed meanwhile.
    const other = await withEndpoint();
    await other.receiver.about((await decided(other.api, enquiry())).submission_id, 1);
    expect(receiver.arrivals).toHaveLength(1);
    await webhooks().enableEndpoint(at);
    await receiver.about(submission_id, 2);
    const [event] = await eventsOf(submission_id, 'delivered', ([e]) => e?.state === DeliveryState.DELIVERED);
    expect(event?.attempts.map(({ number, statusCode }) => [number, statusCode])).toEqual([
      [1, 500],
      [2, 204],
    ]);
  });
});

describe('rotating a signing secret', () => {
  it('signs the next event with only the new secret', async () => {
    const { receiver, api, at, secret } = await withEndpoint();
    const { signingSecret, endpoint } = await webhooks().rotateSecret(at);
    expect(signingSecret).toMatch(/^whsec_/);
    expect(signingSecret).not.toBe(secret);
    const { submission_id } = await decided(api, enquiry());
    const [arrival] = await receiver.about(submission_id, 1);
    expect(arrival && isSignedOnlyWith(signingSecret, secret, arrival)).toBe(true);
    expect(await webhooks().getEndpoint(at)).toMatchObject({ keyFingerprint: endpoint?.keyFingerprint });
  });

  it('signs retries of earlier events with only the new secret, and records the key of each attempt', async () => {
    const { receiver, api, at, secret } = await withEndpoint();
    const { keyFingerprint: oldKey } = await webhooks().getEndpoint(at);
    receiver.answers = 500;
    const { submission_id } = await decided(api, enquiry());
    const [failed] = await eventsOf(
      submission_id,
      'failed once',
      ([e]) => e?.attempts.length === 1 && e.nextAttemptAt !== undefined,
    );
    const { signingSecret, endpoint } = await webhooks().rotateSecret(at);
    receiver.answers = 204;
    await gapEnds(failed?.eventId ?? '');
    const [first, second] = await receiver.about(submission_id, 2);
    expect(first && isSignedOnlyWith(secret, signingSecret, first)).toBe(true);
    expect(second && isSignedOnlyWith(signingSecret, secret, second)).toBe(true);
    expect(second?.rawBody).toBe(first?.rawBody);
    const [event] = await eventsOf(submission_id, 'delivered', ([e]) => e?.state === DeliveryState.DELIVERED);
    expect(event?.attempts.map(({ keyFingerprint }) => keyFingerprint)).toEqual([
      oldKey,
      endpoint?.keyFingerprint,
    ]);
    expect(endpoint?.keyFingerprint).not.toBe(oldKey);
  });
});

describe('a supplier', () => {
  it('cannot call any of these operations with its credential', async () => {
    const { api, at } = await withEndpoint();
    const asSupplier = rpcClient('webhook', WebhookService, api.credential);
    for (const call of [
      asSupplier.getEndpoint(at),
      asSupplier.rotateSecret(at),
      asSupplier.disableEndpoint(at),
    ]) {
      expect((await rpcErrorOf(call)).code).toBe(Code.Unauthenticated);
    }
    expect(await webhooks().getEndpoint(at)).toMatchObject({ enabled: true });
  });
});
