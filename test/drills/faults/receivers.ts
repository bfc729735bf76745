import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { field, parseJson } from '../../../deploy/local/demonstration/status-view.ts';
import type { Certificates } from '../../../deploy/local/identity/make-certificates.ts';
import { readBody } from '../../../deploy/local/receiver/read-body.ts';
import { verifySignature } from '../../../deploy/local/receiver/verify-signature.ts';
import type { Delivery } from './evidence.ts';
import type { Random } from './random.ts';
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
  /** Returns every delivery so far, compared with every secret: the response to a rotation arrives after its effect. */
  deliveries(): Delivery[];
  urlOf(accountId: string): string;
  /** Adds a secret with which signatures are compared. */
  addSecret(accountId: string, secret: string): void;
  /** Accepts every event from now on. */
  behave(): void;
  close(): Promise<void>;
}

/** Starts the receivers on a free loopback port. One in ten first attempts meets a misbehaviour. */
export async function startReceivers({ certificate, key }: Certificates, random: Random): Promise<Receivers> {
  const received: (Omit<Delivery, 'signedWith'> & { readonly isSignedWith: (secret: string) => boolean })[] =
    [];
  const secrets = new Map<string, string[]>();
  const refused = new Set<string>();
  let isHostile = true;
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    async (request, response) => {
      response.on('error', () => undefined);
      try {
        const accountId = request.url?.slice(1) ?? '';
        const rawBody = await readBody(request, LARGEST_BODY);
        if (!rawBody) return void response.destroy();
        const eventId = String(request.headers['svc-webhook-id']);
        const body = rawBody.toString('utf8');
        const envelope = parseJson(body);
        const timestamp = String(request.headers['svc-webhook-timestamp']);
        const signed = { timestamp, signature: String(request.headers['svc-webhook-signature']), rawBody };
        received.push({
          ...{ accountId, eventId, body, at: Date.now() },
          seen: seenIn(field(envelope, 'data')),
          occurredAt: Date.parse(String(field(envelope, 'occurred_at'))),
          isSignedWith: (secret) => verifySignature(signed, [secret], Number(timestamp)),
        });
        if (isHostile && !refused.has(eventId) && random.chance(0.1)) {
          refused.add(eventId);
          return random.pick(MISBEHAVIOURS)(response);
        }
        response.writeHead(204).end();
      } catch {
        // The sender was killed in the middle of its request.
        response.destroy();
      }
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    deliveries: () =>
      received.map(({ isSignedWith, ...delivery }) => ({
        ...delivery,
        signedWith: (secrets.get(delivery.accountId) ?? []).filter(isSignedWith),
      })),
    urlOf: (accountId) => `https://127.0.0.1:${port}/${accountId}`,
    addSecret: (accountId, secret) =>
      void secrets.set(accountId, [...(secrets.get(accountId) ?? []), secret]),
    behave() {
      isHostile = false;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
