import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { field, parseJson } from '../../../deploy/local/demonstration/status-view.ts';
import type { Certificates } from '../../../deploy/local/identity/make-certificates.ts';
import { readBody } from '../../../deploy/local/receiver/read-body.ts';
import { verifySignature } from '../../../deploy/local/receiver/verify-signature.ts';
import type { Choices } from '../../../deploy/local/sample-data/random.ts';
import type { Delivery } from './evidence.ts';
import { seenIn } from './seen-status.ts';

const LARGEST_BODY = 256 * 1024;
/** Longer than a supplier may take to respond. */
const HANG_MS = 11_000;
const SLOW_MS = 3_000;

/** What a hostile receiver does instead of accepting an event. */
const MISBEHAVIOURS: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(500).end(),
  (response) => response.writeHead(302, { location: 'https://127.0.0.1/elsewhere' }).end(),
  (response) => void response.destroy(),
  (response) => void response.writeHead(200).write('never ends'),
  (response) => void setTimeout(() => response.destroy(), HANG_MS).unref(),
  (response) => void setTimeout(() => response.writeHead(204).end(), SLOW_MS).unref(),
];

/** The endpoints of every supplier of a run. They aren't part of the system, and survive its failures. */
export interface Receivers {
  /**
   * Returns every delivery to these accounts so far, compared with every secret: the response to a rotation arrives after
   * its effect.
   */
  deliveries(accountIds: readonly string[]): Delivery[];
  /** Returns the ids of events to these accounts whose body isn't one of a status change. */
  unreadable(accountIds: readonly string[]): string[];
  urlOf(accountId: string): string;
  /** Adds a secret with which signatures are compared. */
  addSecret(accountId: string, secret: string): void;
  /** Misbehaves to this share of events from now on: at their first attempt, or at each. */
  misbehave(share: number, attempts?: 'first' | 'all'): void;
  close(): Promise<void>;
}

/** Starts the receivers on a free loopback port. */
export async function startReceivers(
  { certificate, key }: Certificates,
  choose: Choices,
): Promise<Receivers> {
  const received: (Omit<Delivery, 'signedWith'> & { readonly isSignedWith: (secret: string) => boolean })[] =
    [];
  const secrets = new Map<string, string[]>();
  /** Whether an event meets a misbehaviour, by its id. */
  const refused = new Map<string, boolean>();
  const unreadable: { readonly accountId: string; readonly eventId: string }[] = [];
  let hostility = { share: 0, attempts: 'first' };
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    async (request, response) => {
      response.on('error', () => undefined);
      const accountId = request.url?.slice(1) ?? '';
      // A sender can be killed in the middle of its request.
      const rawBody = await readBody(request, LARGEST_BODY).catch(() => undefined);
      if (!rawBody) return void response.destroy();
      const eventId = String(request.headers['svc-webhook-id']);
      const body = rawBody.toString('utf8');
      const envelope = parseJson(body);
      const timestamp = String(request.headers['svc-webhook-timestamp']);
      const signed = { timestamp, signature: String(request.headers['svc-webhook-signature']), rawBody };
      try {
        received.push({
          ...{ accountId, eventId, body, at: Date.now() },
          seen: seenIn(field(envelope, 'data')),
          occurredAt: Date.parse(String(field(envelope, 'occurred_at'))),
          isSignedWith: (secret) => verifySignature(signed, [secret], Number(timestamp)),
        });
      } catch {
        unreadable.push({ accountId, eventId });
      }
      const { share, attempts } = hostility;
      const isFirst = !refused.has(eventId);
      if (isFirst) refused.set(eventId, choose.in(share));
      if (share > 0 && (isFirst || attempts === 'all') && refused.get(eventId))
        return choose.of(MISBEHAVIOURS)(response);
      response.writeHead(204).end();
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    deliveries: (accountIds) =>
      received
        .filter(({ accountId }) => accountIds.includes(accountId))
        .map(({ isSignedWith, ...delivery }) => ({
          ...delivery,
          signedWith: (secrets.get(delivery.accountId) ?? []).filter(isSignedWith),
        })),
    unreadable: (accountIds) =>
      unreadable.filter(({ accountId }) => accountIds.includes(accountId)).map(({ eventId }) => eventId),
    urlOf: (accountId) => `https://127.0.0.1:${port}/${accountId}`,
    addSecret: (accountId, secret) =>
      void secrets.set(accountId, [...(secrets.get(accountId) ?? []), secret]),
    misbehave(share, attempts = 'first') {
      hostility = { share, attempts };
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
