import {
  createInbox,
  headers,
  InvalidArgumentError,
  type Msg,
  type NatsConnection,
} from '@nats-io/nats-core';

import type { EventSigner } from '../event-bus/index.ts';

const ACK_TIMEOUT_MS = 5_000;
const NO_RESPONDERS = 503;
/** JetStream's code for a message that is too large for the stream. */
const MESSAGE_TOO_LARGE = 10054;

/** The columns of `domain_event` needed for publishing. */
export interface StoredEvent {
  readonly event_id: string;
  readonly type: string;
  readonly subject: string;
  readonly envelope: Uint8Array;
}

/** The result of one event in a flight. An `unpublishable` event fails on every retry. */
export type Acknowledgement =
  | { readonly streamSeq: number }
  | { readonly failure: Error; readonly unpublishable?: true };

export interface Publisher {
  readonly connection: NatsConnection;
  /** Publishes events in order, within five seconds. The stream drops message ids that it has seen. */
  publishAll(
    stream: string,
    events: readonly StoredEvent[],
    messageIdOf?: (eventId: string) => string,
  ): Promise<Acknowledgement[]>;
}

interface Flight {
  settle(index: number, answer: Acknowledgement): void;
}

export interface PublisherOptions {
  /** The user may read it. */
  readonly inboxPrefix?: string;
  readonly ackTimeoutMs?: number;
  /** Authenticates each message when it is sent, so that what is published again has codes under the current keys. */
  readonly sign?: EventSigner | undefined;
}

/**
 * Creates a publisher with one subscription and one timer per flight: the client's own method takes four times the CPU.
 */
export function publisherOn(connection: NatsConnection, options: PublisherOptions = {}): Publisher {
  const { inboxPrefix, ackTimeoutMs = ACK_TIMEOUT_MS, sign = () => [] } = options;
  const inbox = createInbox(inboxPrefix);
  const flights = new Map<string, Flight>();
  let flown = 0;
  connection.subscribe(`${inbox}.*.*`, {
    callback: (_, message) => {
      const [flight = '', index] = message.subject.slice(inbox.length + 1).split('.');
      flights.get(flight)?.settle(Number(index), readAcknowledgement(message));
    },
  });

  function take(count: number, send: (reply: string, flight: Flight) => void): Promise<Acknowledgement[]> {
    flown += 1;
    const flight = String(flown);
    return new Promise((resolve) => {
      const answers: (Acknowledgement | undefined)[] = new Array(count).fill(undefined);
      let left = count;
      const land = () => {
        clearTimeout(timer);
        flights.delete(flight);
        resolve(answers.map((answer) => answer ?? { failure: new Error('acknowledgement timed out') }));
      };
      const timer = setTimeout(land, ackTimeoutMs);
      const inFlight: Flight = {
        settle(index, answer) {
          if (answers[index]) return;
          answers[index] = answer;
          left -= 1;
          if (left === 0) land();
        },
      };
      flights.set(flight, inFlight);
      send(`${inbox}.${flight}`, inFlight);
    });
  }

  return {
    connection,
    async publishAll(stream, events, messageIdOf = (eventId) => eventId) {
      if (events.length === 0) return [];
      return take(events.length, (reply, flight) => {
        for (const [index, { event_id, subject, envelope }] of events.entries()) {
          const given = headers();
          given.set('Nats-Msg-Id', messageIdOf(event_id));
          given.set('Nats-Expected-Stream', stream);
          for (const [name, code] of sign(subject, envelope)) given.set(name, code);
          try {
            connection.publish(subject, envelope, {
              headers: given,
              reply: `${reply}.${index}`,
            });
          } catch (error) {
            flight.settle(index, unsent(error));
          }
        }
      });
    },
  };
}

/** The client rejects a message larger than the limit announced by the server. */
function unsent(error: unknown): Acknowledgement {
  const failure = error instanceof Error ? error : new Error('event not sent', { cause: error });
  return error instanceof InvalidArgumentError ? { failure, unpublishable: true } : { failure };
}

function readAcknowledgement(message: Msg): Acknowledgement {
  if (message.headers?.code === NO_RESPONDERS) return { failure: new Error('no stream for the subject') };
  const answer: unknown = JSON.parse(message.string());
  if (typeof answer === 'object' && answer !== null) {
    if ('seq' in answer && typeof answer.seq === 'number' && answer.seq > 0) return { streamSeq: answer.seq };
    if ('error' in answer) {
      const failure = refusalOf(answer.error);
      return failure.code === MESSAGE_TOO_LARGE ? { failure, unpublishable: true } : { failure };
    }
  }
  return { failure: new Error('the stream gave no acknowledgement') };
}

/** Uses the server's description, which names no event and no applicant. */
function refusalOf(error: unknown): Error & { readonly code: unknown } {
  const { err_code: code, description } = error as { err_code?: unknown; description?: unknown };
  return Object.assign(new Error(`the stream refused the event: ${String(description)}`), { code });
}
