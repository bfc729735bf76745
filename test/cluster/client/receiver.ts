import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { field, parseJson } from '../../../deploy/local/demonstration/status-view.ts';
import { createReceiver } from '../../../deploy/local/receiver/receiver.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';

const POLL_MS = 50;
const MAX = { events: 20_000, characters: 48 * 1024 * 1024 };

export interface ReceiverOrder {
  readonly host: string;
  readonly address: string;
  readonly cert: string;
  readonly key: string;
}

/** A supplier's webhook receiver. */
export interface Receiver {
  readonly url: string;
  /** Sets the secret that webhooks are signed with. */
  trust(secret: string): void;
  /** Returns the body of the first verified webhook whose data `wanted` accepts; undefined on timeout. */
  awaited(wanted: (data: unknown) => boolean, withinMs: number): Promise<string | undefined>;
}

/** Starts a receiver with a certificate and its key (PEM), on an address that it adds to the loopback device. */
export async function startReceiver({ host, address, cert, key }: ReceiverOrder): Promise<Receiver> {
  execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
  let secret: string | undefined;
  const { webhooks, events } = createReceiver({ suppliers: [], secretOf: () => secret, max: MAX });
  const server = createServer({ cert, key, keepAliveTimeout: 120_000 }, webhooks);
  server.listen(443, address);
  await once(server, 'listening');
  return {
    url: `https://${host}/trial/sandbox`,
    trust: (known) => {
      secret = known;
    },
    async awaited(wanted, withinMs) {
      const event = await waitUntil(
        () => events().find((one) => one.verified && wanted(field(parseJson(one.rawBody), 'data'))),
        { withinMs, everyMs: POLL_MS },
      );
      return event?.rawBody;
    },
  };
}
