import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { field, parseJson } from '../../../deploy/local/demonstration/status-view.ts';
import { readBody } from '../../../deploy/local/receiver/read-body.ts';
import { verifySignature } from '../../../deploy/local/receiver/verify-signature.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';

const LARGEST_BODY = 256 * 1024;
const POLL_MS = 50;

export interface ReceiverOrder {
  readonly host: string;
  readonly address: string;
  readonly cert: string;
  readonly key: string;
}

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
}

/** Starts it with a certificate and its key (PEM) on an address that it gives to the loopback device of this network. */
export async function startReceiver({ host, address, cert, key }: ReceiverOrder): Promise<Receiver> {
  execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
  const received: ReceivedWebhook[] = [];
  let secret = '';
  const server = createServer({ cert, key, keepAliveTimeout: 120_000 }, async (request, response) => {
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
  server.listen(443, address);
  await once(server, 'listening');
  return {
    url: `https://${host}/webhooks`,
    trust: (known) => {
      secret = known;
    },
    awaited: (wanted, withinMs) =>
      waitUntil(() => received.find(({ isGenuine, data }) => isGenuine && wanted(data)), {
        withinMs,
        everyMs: POLL_MS,
      }),
  };
}
