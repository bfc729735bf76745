import { jetstreamManager } from '@nats-io/jetstream';
import { type Registry, reading, sharedGauge } from '../../runtime/metrics/index.ts';
import type { Bus } from './bus.ts';

const READING = { everyMs: 5_000, withinMs: 1_500 };

interface Lag {
  /** Not delivered yet. */
  readonly pending: number;
  /** Delivered to a process but not acknowledged. */
  readonly unacknowledged: number;
  /** Unacknowledged events that were delivered more than once. */
  readonly redelivered: number;
}

/**
 * Reports how far a durable lags behind its stream, as counted by the server; the same in all processes that share the
 * durable. Reads at most every 5 s, with a timeout of 1.5 s. Has no values while the server does not respond.
 */
export function measureLag(
  registry: Registry,
  { bus, stream, consumer }: { bus: Bus; stream: string; consumer: string },
): void {
  const lag = reading(() => readLag(bus, stream, consumer), READING);
  gauge(
    'sss_consumer_pending_events',
    'Events of the stream that the consumer has not been sent yet.',
    'pending',
  );
  gauge(
    'sss_consumer_unacknowledged_events',
    'Events that the consumer has been sent and has not acknowledged.',
    'unacknowledged',
  );
  gauge(
    'sss_consumer_redelivered_events',
    'Events that the consumer has been sent more than once and has not acknowledged.',
    'redelivered',
  );

  function gauge(name: string, help: string, field: keyof Lag): void {
    sharedGauge(registry, { name, help, labelNames: ['consumer', 'stream'] as const }, async () => {
      const now = await lag();
      return now ? [[{ consumer, stream }, now[field]]] : [];
    });
  }
}

async function readLag(bus: Bus, stream: string, consumer: string): Promise<Lag> {
  const connection = bus.connection();
  if (!connection) throw new Error('NATS is not connected');
  const { consumers } = await jetstreamManager(connection, { checkAPI: false });
  const { num_pending, num_ack_pending, num_redelivered } = await consumers.info(stream, consumer);
  return { pending: num_pending, unacknowledged: num_ack_pending, redelivered: num_redelivered };
}
