import { JetStreamApiCodes, JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/nats-core';
import { DEAD_LETTER_STREAM, deadLetterSubject, streamConfig } from './streams.ts';

export const ORIGINAL_SUBJECT = 'Supplier-Original-Subject';

/** Puts an event aside, as it came. Throws when it could not be put aside: then it must not be acknowledged. */
export async function deadLetter(
  connection: NatsConnection,
  consumer: string,
  message: { subject: string; data: Uint8Array; seq: number },
): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  await manager.streams.info(DEAD_LETTER_STREAM).catch((error: unknown) => {
    if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) throw error;
    return manager.streams.add(streamConfig(DEAD_LETTER_STREAM));
  });
  const given = headers();
  given.set(ORIGINAL_SUBJECT, message.subject);
  await jetstream(connection).publish(deadLetterSubject(consumer), message.data, {
    headers: given,
    msgID: `${consumer}.${message.subject}.${message.seq}`,
  });
}
