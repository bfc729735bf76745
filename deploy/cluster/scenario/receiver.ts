import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { field, parseJson } from '../../local/demonstration/status-view.ts';
import { type Certificates, makeCertificates } from '../../local/identity/make-certificates.ts';
import { readBody } from '../../local/receiver/read-body.ts';
import { verifySignature } from '../../local/receiver/verify-signature.ts';
import { waitUntil } from '../../local/wait-until.ts';

/**
 * Public by all registries, so that the webhook service sends there without anything being loosened, and set aside for
 * name servers that swallow questions (RFC 7535). Here it exists in namespaces without a way out alone.
 */
export const RECEIVER = { host: 'receiver.example', address: '192.31.196.10' } as const;
const LARGEST_BODY = 256 * 1024;
const POLL_MS = 50;

export interface ReceivedWebhook {
  readonly body: string;
  /** What it says of a submission, or undefined. */
  readonly data: unknown;
  readonly isGenuine: boolean;
}

/** A supplier's receiver of webhooks. */
export interface Receiver {
  readonly url: string;
  /** Webhooks are genuine that are signed with it. */
  trust(secret: string): void;
  /** The first genuine webhook that `wanted` accepts; undefined when none comes within the time. */
  awaited(wanted: (data: unknown) => boolean, withinMs: number): Promise<ReceivedWebhook | undefined>;
  close(): void;
}

/** Makes the authority and the certificate of the receiver. */
export async function receiverCertificates(folder: string): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const files = { certificate: at('receiver.pem'), key: at('receiver-key.pem') };
  const authority = at('receiver-authority.pem');
  const wish = { name: RECEIVER.host, asClient: false, files };
  await makeCertificates('receiver of webhooks', authority, [wish]);
  return { authority, ...files };
}

/** Starts it on the address, which it gives to the loopback device of this network. */
export async function startReceiver({ certificate, key }: Certificates): Promise<Receiver> {
  execFileSync('ip', ['address', 'add', `${RECEIVER.address}/32`, 'dev', 'lo']);
  const received: ReceivedWebhook[] = [];
  let secret = '';
  const identity = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createServer({ ...identity, keepAliveTimeout: 120_000 }, async (request, response) => {
    const rawBody = await readBody(request, LARGEST_BODY).catch(() => undefined);
    if (!rawBody) return void response.destroy();
    const header = (name: string) => String(request.headers[name] ?? '');
    const signed = {
      timestamp: header('svc-webhook-timestamp'),
      signature: header('svc-webhook-signature'),
      rawBody,
    };
    const isGenuine = verifySignature(signed, [secret], Math.floor(Date.now() / 1_000));
    const body = rawBody.toString('utf8');
    received.push({ body, data: field(parseJson(body), 'data'), isGenuine });
    response.writeHead(isGenuine ? 204 : 401).end();
  });
  server.listen(443, RECEIVER.address);
  await once(server, 'listening');
  return {
    url: `https://${RECEIVER.host}/webhooks`,
    trust: (known) => {
      secret = known;
    },
    awaited: (wanted, withinMs) =>
      waitUntil(() => received.find(({ isGenuine, data }) => isGenuine && wanted(data)), {
        withinMs,
        everyMs: POLL_MS,
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
