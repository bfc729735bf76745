import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { subjectOf } from '../event-bus/streams.ts';

const ACK_TIMEOUT_MS = 5_000;

/** A row of `outbox` or `published_event`, as far as publishing needs it. */
export interface StoredEvent {
  readonly event_id: string;
  readonly type: string;
  /** Empty in rows of an earlier version: the type says it. */
  readonly subject: string;
  readonly envelope: Uint8Array;
}

/** What the stream answered to one event of a flight. */
export type Acknowledgement = { readonly streamSeq: number } | { readonly failure: Error };

/**
 * Publishes events side by side, in their order, and resolves to what became of each. The message id lets the stream
 * drop an event that it took a moment ago. Never rejects.
 */
export async function publishAll(
  connection: NatsConnection,
  stream: string,
  events: readonly StoredEvent[],
  messageId: (eventId: string) => string = (eventId) => eventId,
): Promise<Acknowledgement[]> {
  const client = jetstream(connection);
  return Promise.all(events.map((event) => publish(client, stream, event, messageId(event.event_id))));
}

async function publish(
  client: JetStreamClient,
  stream: string,
  { type, subject, envelope }: StoredEvent,
  msgID: string,
): Promise<Acknowledgement> {
  try {
    const { seq } = await client.publish(subject || subjectOf(type), envelope, {
      msgID,
      timeout: ACK_TIMEOUT_MS,
      expect: { streamName: stream },
    });
    return { streamSeq: seq };
  } catch (cause) {
    return { failure: cause instanceof Error ? cause : new Error('publishing failed', { cause }) };
  }
}
