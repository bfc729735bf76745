import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';

/** Events that a killed consumer held come back after this; longer than the sets that wait before theirs take. */
const ACK_WAIT_NANOS = 15_000_000_000;
/** Over all replicas of a consumer; enough for four that have pulled ahead as far as they may. */
const MAX_ACK_PENDING = 2_048;
/** JetStream's code for a consumer that exists with another configuration. */
const CONSUMER_EXISTS = 10148;

/** Makes sure that the durable exists and receives what `subject` matches, and nothing else. */
export async function ensureDurable(
  connection: NatsConnection,
  { stream, consumer, subject }: { stream: string; consumer: string; subject: string },
): Promise<void> {
  const { consumers } = await jetstreamManager(connection, { checkAPI: false });
  const changeable = {
    ack_wait: ACK_WAIT_NANOS,
    max_ack_pending: MAX_ACK_PENDING,
    // Failures are counted in the table of failed events: a limit at the server would stop delivery silently.
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
    // A server that could not recover the stream has kept files of an earlier life of the durable, and goes on from
    // them: it would skip what was published since.
    if (isNew && delivered.stream_seq > 0) {
      await consumers.delete(stream, consumer);
      await add();
    }
  } catch (error) {
    // Made by an earlier version, with other numbers or another subject.
    if (!(error instanceof JetStreamApiError) || error.code !== CONSUMER_EXISTS) throw error;
    await consumers.update(stream, consumer, changeable).catch(async (refused: unknown) => {
      if (!isRefusal(refused)) throw refused;
      // Events that it had acknowledged are delivered again, and still applied only once.
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
