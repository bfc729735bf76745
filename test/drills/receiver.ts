import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { field, parseJson, viewStatus } from '../../deploy/local/demonstration/status-view.ts';
import type { Certificates } from '../../deploy/local/identity/make-certificates.ts';
import { readBody } from '../../deploy/local/receiver/read-body.ts';
import { verifySignature } from '../../deploy/local/receiver/verify-signature.ts';

const KEEP_ALIVE_MS = 120_000;
const LARGEST_BODY = 256 * 1024;

/** One delivery as the supplier has it in its log. */
export interface Delivery {
  readonly eventId: string;
  readonly submissionId: string;
  readonly status: string;
  readonly billingStatus: string;
  readonly body: string;
  readonly verified: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The supplier's own receiver: it isn't part of the system, and survives its failures. */
export interface Receiver {
  readonly url: string;
  /** In order of arrival. */
  readonly deliveries: readonly Delivery[];
  /** Sets the secret that signatures are checked with. */
  trust(secret: string): void;
  close(): Promise<void>;
}

/** Starts a receiver on a free loopback port; returns 204 for everything. */
export async function startReceiver({ certificate, key }: Certificates): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const secrets: string[] = [];
  const options = {
    cert: readFileSync(certificate),
    key: readFileSync(key),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server = createServer(options, async (request, response) => {
    response.on('error', () => undefined);
    try {
      const rawBody = await readBody(request, LARGEST_BODY);
      if (!rawBody) return void response.destroy();
      deliveries.push(deliveryOf(request.headers, rawBody, secrets));
      response.writeHead(204).end();
    } catch {
      // The sender was killed in the middle of its request.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/leads`,
    deliveries,
    trust: (secret) => void secrets.push(secret),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function deliveryOf(headers: Headers, rawBody: Buffer, secrets: readonly string[]): Delivery {
  const body = rawBody.toString('utf8');
  const data = field(parseJson(body), 'data');
  const { submissionId = '', status = '', billingStatus = '' } = viewStatus(data);
  const signed = {
    timestamp: String(headers['svc-webhook-timestamp']),
    signature: String(headers['svc-webhook-signature']),
    rawBody,
  };
  return {
    eventId: String(headers['svc-webhook-id']),
    submissionId,
    status,
    billingStatus,
    body,
    verified: verifySignature(signed, secrets, Date.now() / 1_000),
    at: Date.now(),
  };
}
