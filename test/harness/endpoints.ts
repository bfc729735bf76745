import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Environment as EnvironmentCode } from '@supplier/proto/common/v1/status';
import { DeliveryState, type Event } from '@supplier/proto/webhook/v1/webhook';
import pg from 'pg';
import { staff } from './rpc.ts';
import { asEnvelope } from './schemas.ts';
import { readStack, stackFile } from './stack.ts';
import type { Environment } from './suppliers.ts';
import { NotYet, type Patience, waitFor } from './wait.ts';
import type { ReceivedEvent } from './webhooks.ts';

const EXHAUSTING_MS = 120_000;
const REFUSAL = 'refused by this receiver';

/** A request received by a test's own receiver. */
export type Arrival = Pick<ReceivedEvent, 'headers' | 'rawBody' | 'envelope'>;

/** A test's own webhook receiver, with the stack's certificate. Answers 204 until `answers` is changed. */
export interface OwnReceiver {
  readonly url: string;
  /** In order of arrival. */
  readonly arrivals: readonly Arrival[];
  /** The status to answer with, or `nothing` to leave requests unanswered. */
  answers: number | 'nothing';
  /** The body of responses with a status of 400 or more. */
  readonly refusal: string;
  /** Waits for `count` arrivals about a submission and returns them. */
  about(submissionId: string, count: number, patience?: Patience): Promise<Arrival[]>;
  close(): Promise<void>;
}

/** Starts a receiver on a free loopback port, where the stack may send webhooks. */
export async function startReceiver(): Promise<OwnReceiver> {
  const pem = (name: string) => readFileSync(join(dirname(stackFile()), 'certificates', name));
  const arrivals: Arrival[] = [];
  const server = createServer(
    { cert: pem('receiver.pem'), key: pem('receiver-key.pem') },
    async (request, response) => {
      response.on('error', () => {});
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const rawBody = Buffer.concat(chunks).toString();
      const body = JSON.parse(rawBody);
      // A sample event is about no submission.
      if (body.type !== 'endpoint.preflight')
        arrivals.push({ headers: request.headers, rawBody, envelope: asEnvelope(body) });
      answer(response, receiver.answers);
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const receiver: OwnReceiver = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    arrivals,
    answers: 204,
    refusal: REFUSAL,
    about: (submissionId, count, patience = {}) =>
      waitFor(
        `${count} deliveries about ${submissionId}`,
        async () => {
          const found = arrivals.filter(({ envelope }) => envelope.data.submission_id === submissionId);
          if (found.length < count) throw new NotYet(`${found.length} of ${arrivals.length} arrivals are`);
          return found;
        },
        patience,
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

function answer(response: ServerResponse, how: OwnReceiver['answers']): void {
  if (how !== 'nothing') response.writeHead(how).end(how >= 400 ? REFUSAL : '');
}

/** Creates an endpoint, as staff do, for an account that has none. */
export async function newEndpoint(
  accountId: string,
  url: string,
  environment: Environment = 'sandbox',
): Promise<{ endpointId: string; secret: string }> {
  const { endpoint, signingSecret } = await staff
    .webhook()
    .createEndpoint({ ...endpointOf(accountId, environment), url });
  return { endpointId: endpoint?.endpointId ?? '', secret: signingSecret };
}

/** Returns the fields by which staff identify an account's endpoint. */
export const endpointOf = (accountId: string, environment: Environment = 'sandbox') => ({
  accountId,
  environment: environment === 'sandbox' ? EnvironmentCode.SANDBOX : EnvironmentCode.PRODUCTION,
});

/** Waits until the events of a submission that staff see satisfy `holds`; `what` describes that state in words. */
export const eventsOf = (
  submissionId: string,
  what: string,
  hold: (events: Event[]) => boolean,
  patience: Patience = {},
): Promise<Event[]> =>
  waitFor(
    `the events of ${submissionId} to be ${what}`,
    async () => {
      const { events } = await staff.webhook().listEvents({ submissionId });
      if (!hold(events))
        throw new NotYet(JSON.stringify(events.map((e) => [e.eventId, e.state, e.attempts.length])));
      return events;
    },
    patience,
  );

/** Makes an event's next attempt due immediately by updating the database, because the clock can't be moved. */
export const gapEnds = (eventId: string): Promise<void> =>
  change('UPDATE event SET next_attempt_at = now() WHERE id = $1 AND next_attempt_at > now()', [eventId]);

/**
 * Waits until the latest event of each submission is given up after eight failed attempts. The real schedule takes two
 * and a half hours, so the delays are removed by moving the time of the next attempt in the database.
 */
export const exhaustedEventsOf = (submissionIds: readonly string[]): Promise<Event[]> =>
  waitFor(
    'eight attempts to fail',
    async () => {
      const all = await Promise.all(
        submissionIds.map(async (submissionId) =>
          (await staff.webhook().listEvents({ submissionId })).events.at(-1),
        ),
      );
      const events = all.filter((event) => event !== undefined);
      for (const { eventId, nextAttemptAt } of events) if (nextAttemptAt) await gapEnds(eventId);
      const done = events.filter(({ state }) => state === DeliveryState.EXHAUSTED);
      if (done.length < submissionIds.length)
        throw new NotYet(JSON.stringify(events.map((e) => e.attempts.length)));
      return done;
    },
    { withinMs: EXHAUSTING_MS },
  );

/** Expires the lease of an attempt whose worker was killed. */
export const leaseEnds = (eventId: string): Promise<void> =>
  change(`UPDATE event SET lease_until = now() - interval '1 ms' WHERE id = $1 AND lease_until > now()`, [
    eventId,
  ]);

async function change(sql: string, values: unknown[]): Promise<void> {
  const url = Object.assign(new URL(readStack().postgres), { pathname: '/webhook' });
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}
