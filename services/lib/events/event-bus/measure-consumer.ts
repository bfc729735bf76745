import { jetstreamManager } from '@nats-io/jetstream';
import type pg from 'pg';
import { gaugesOf, type Registry, sharedCounter, sharedHistogram } from '../../runtime/metrics/index.ts';
import type { Outcome } from './apply-set.ts';
import type { Bus } from './bus.ts';
import { countKeptEvents, MAX_COUNTED } from './failed-events.ts';

const OUTCOMES = [
  'handled',
  'duplicate',
  'waiting',
  'unknown_type',
  'parked',
  'failed',
  'unauthenticated',
] as const;

/** Registers the metrics of a consumer. Several consumers in one process share them. */
export function measureConsumer(
  registry: Registry,
  { bus, consumer, stream, pool }: { bus: Bus; consumer: string; stream: string; pool: pg.Pool },
) {
  const events = sharedCounter(registry, {
    name: 'sss_consumed_events_total',
    help: 'Events processed by this process, by consumer, stream and outcome.',
    labelNames: ['consumer', 'stream', 'outcome'] as const,
  });
  for (const outcome of OUTCOMES) events.inc({ consumer, stream, outcome }, 0);
  const sets = sharedHistogram(registry, {
    name: 'sss_consumed_set_events',
    help: 'Events per set, by consumer.',
    labelNames: ['consumer'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64],
  });
  measureFailedEvents(registry, consumer, pool);
  measureLag(registry, { bus, stream, consumer });
  return {
    /** Counts an event by outcome; a failing event has several outcomes. */
    ended: (outcome: Outcome | 'failed') => events.inc({ consumer, stream, outcome }),
    set: (size: number) => sets.observe({ consumer }, size),
  };
}

/** Reports the retrying and parked events of a consumer; absent while the database is unavailable. */
function measureFailedEvents(registry: Registry, consumer: string, pool: pg.Pool): void {
  gaugesOf(registry, () => countKeptEvents(pool))(
    {
      name: 'sss_failed_events',
      help: `Events that failed, by consumer: retrying or parked, counted up to ${MAX_COUNTED}.`,
      labelNames: ['consumer', 'state'],
    },
    (kept) =>
      ['retrying', 'parked'].map((state) => {
        const found = kept.find((row) => row.consumer === consumer && row.state === state);
        return [{ consumer, state }, found?.count ?? 0] as const;
      }),
  );
}

interface Lag {
  readonly pending: number;
  readonly unacknowledged: number;
  /** Unacknowledged events that were delivered more than once. */
  readonly redelivered: number;
}

/** Reports how far a durable lags, as the server counts it. Has no values while it does not respond. */
function measureLag(
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
