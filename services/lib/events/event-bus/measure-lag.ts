import { jetstreamManager } from '@nats-io/jetstream';
import { gaugesOf, type Registry } from '../../runtime/metrics/index.ts';
import type { Bus } from './bus.ts';

interface Lag {
  /** Not delivered yet. */
  readonly pending: number;
  /** Delivered to a process but not acknowledged. */
  readonly unacknowledged: number;
  /** Unacknowledged events that were delivered more than once. */
  readonly redelivered: number;
}

/** Reports how far a durable lags, as the server counts it. Has no values while it does not respond. */
export function measureLag(
  registry: Registry,
  { bus, stream, consumer }: { bus: Bus; stream: string; consumer: string },
): void {
  const lag = gaugesOf(registry, () => readLag(bus, stream, consumer));
  const labelNames = ['consumer', 'stream'];
  lag(
    {
      name: 'sss_consumer_pending_events',
      help: 'Events of the stream that were not sent to the consumer yet.',
      labelNames,
    },
    ({ pending }) => [[{ consumer, stream }, pending]],
  );
  lag(
    {
      name: 'sss_consumer_unacknowledged_events',
      help: 'Events that were sent to the consumer and are not acknowledged.',
      labelNames,
    },
    ({ unacknowledged }) => [[{ consumer, stream }, unacknowledged]],
  );
  lag(
    {
      name: 'sss_consumer_redelivered_events',
      help: 'Events that were sent to the consumer more than once and are not acknowledged.',
      labelNames,
    },
    ({ redelivered }) => [[{ consumer, stream }, redelivered]],
  );
}

/** Reads a durable's lag. Throws while NATS is not connected. */
export async function readLag(bus: Pick<Bus, 'connection'>, stream: string, consumer: string): Promise<Lag> {
  const connection = bus.connection();
  if (!connection) throw new Error('NATS is not connected');
  const { consumers } = await jetstreamManager(connection, { checkAPI: false });
  const { num_pending, num_ack_pending, num_redelivered } = await consumers.info(stream, consumer);
  return { pending: num_pending, unacknowledged: num_ack_pending, redelivered: num_redelivered };
}
