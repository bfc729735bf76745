import { makeTestAuthority, type TestAuthority } from '@supplier/lib/testing';
import { type EndpointId, newId } from '@supplier/lib/text/ids';
import type { ResolveHost } from '../src/guarded-client/connect.ts';
import { type GuardedClient, type GuardedClientOptions, guardedClient } from '../src/guarded-client/index.ts';
import { addressPolicy } from '../src/model/address-policy.ts';
import type { Receiver } from './receivers.ts';

/** Short limits for tests that exceed them; other tests get enough for a busy machine. */
export const STATUS_MS = 400;
export const ANSWER_MS = 200;
export const HEADERS = { 'Content-Type': 'application/json', 'Svc-Webhook-Id': 'x' };
export const BODY = Buffer.from('{"id":"x"}');

/** Shared setup for tests of the guarded client; closes everything that a test opens. */
export function guardedClientTests() {
  let authority: TestAuthority;
  let credentials: { cert: string; key: string };
  const opened: { close(): Promise<void> | void }[] = [];

  beforeAll(async () => {
    authority = await makeTestAuthority();
    credentials = await authority.issue({ ips: ['127.0.0.1'], hosts: ['receiver.test'] });
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  const loopback = () => ({
    policy: addressPolicy(['127.0.0.0/8']),
    extraCa: authority.pem,
    connectionsPerEndpoint: 2,
  });
  const opening = <One extends { close(): Promise<void> | void }>(one: One): One => {
    opened.push(one);
    return one;
  };

  return {
    authority: () => authority,
    /** Credentials of a receiver that the client trusts, for 127.0.0.1 and receiver.test. */
    credentials: () => credentials,
    /** Returns a client that may post to the loopback network, with ample limits for tests that are not about time. */
    clientWith(options: Partial<GuardedClientOptions> = {}): GuardedClient {
      return opening(guardedClient({ ...loopback(), statusMs: 5_000, answerMs: 2_000, ...options }));
    },
    clientWithItsOwnLimits: (): GuardedClient => opening(guardedClient(loopback())),
    async receiving(receiver: Promise<Receiver>): Promise<Receiver> {
      const started = await receiver;
      opened.push(started);
      return started;
    },
  };
}

/** Posts to `url`, by default for a new endpoint. */
export function postTo(client: GuardedClient, url: string, endpointId = newId<EndpointId>()) {
  return client.post({ endpointId, url }, HEADERS, BODY, new AbortController().signal);
}

export const resolvingTo =
  (...addresses: string[]): ResolveHost =>
  async () =>
    addresses;
