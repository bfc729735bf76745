import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';

/** Events held by a killed consumer are redelivered after this. Longer than the sets queued ahead of them take. */
const ACK_WAIT_NANOS = 15_000_000_000;
/** Across all replicas of a consumer; enough for four that have pulled as far ahead as allowed. */
const MAX_ACK_PENDING = 2_048;
/** JetStream's code for an existing consumer with a different configuration. */
const CONSUMER_EXISTS = 10148;

/** Ensures that the durable exists and receives only what `subject` matches. */
export async function ensureDurable(
  connection: NatsConnection,
  { stream, consumer, subject }: { stream: string; consumer: string; subject: string },
): Promise<void> {
  const { consumers } = await jetstreamManager(connection, { checkAPI: false });
  const changeable = {
    ack_wait: ACK_WAIT_NANOS,
    max_ack_pending: MAX_ACK_PENDING,
    // Failures are counted in the table of failed events: a server limit would stop delivery silently.
    max_deliver: -1,
    filter_subject: subject,
  };
  const add = () =>
    consumers.add(stream, {
      ...changeable,
      durable_name: consumer,
      ack_policy: 'explicit',
      deliver_policy: 'all',
    });
  const isNew = await consumers.info(stream, consumer).then(() => false, isNotFound);
  try {
    const { delivered } = await add();
    // A server that could not recover the stream may still have files of an earlier durable of this name and resume
    // from them. It would skip events published since.
    if (isNew && delivered.stream_seq > 0) {
      await consumers.delete(stream, consumer);
      await add();
    }
  } catch (error) {
    // Created by an earlier version with a different configuration.
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_EXISTS) throw error;
    await consumers.update(stream, consumer, changeable).catch(async (refused: unknown) => {
      if (!isRefusal(refused)) throw refused;
      // Acknowledged events are redelivered, but still applied only once.
      await consumers.delete(stream, consumer);
      await add();
    });
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  return error.code !== JetStreamApiCodes.ConsumerNotFound && error.code !== JetStreamApiCodes.StreamNotFound;
}

function isNotFound(error: unknown): true {
  if (error instanceof JetStreamApiError && error.status === 404) return true;
  throw error;
}
