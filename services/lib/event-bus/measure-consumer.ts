import type pg from 'pg';
import { Gauge, Histogram, type Registry, reading, sharedCounter } from '../metrics/index.ts';
import type { Outcome } from './apply-set.ts';
import { countKeptEvents, MAX_COUNTED } from './failed-events.ts';

const READING = { everyMs: 5_000, withinMs: 1_500 };

export interface ConsumerMeasures {
  /** Counts an event by how it ended; one that fails ends several times. */
  ended(outcome: Outcome | 'failed'): void;
  /** Notes how many events were taken at once. */
  set(size: number): void;
}

/** What a consumer counts. Several in one process share the metrics. */
export function measureConsumer(
  registry: Registry,
  { consumer, stream, pool }: { consumer: string; stream: string; pool: pg.Pool },
): ConsumerMeasures {
  const events = sharedCounter(registry, {
    name: 'sss_consumed_events_total',
    help: 'Events taken by this process, by consumer, stream and how they ended.',
    labelNames: ['consumer', 'stream', 'outcome'] as const,
  });
  const sets = setSizes(registry);
  measureFailedEvents(registry, pool);
  return {
    ended: (outcome) => events.inc({ consumer, stream, outcome }),
    set: (size) => sets.observe({ consumer }, size),
  };
}

function setSizes(registry: Registry): Histogram<'consumer'> {
  const name = 'sss_consumed_set_events';
  const known = registry.getSingleMetric<'consumer'>(name);
  if (known instanceof Histogram) return known;
  return new Histogram({
    name: 'sss_consumed_set_events',
    help: 'Events taken at once, by consumer.',
    labelNames: ['consumer'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers: [registry],
  });
}

/** Shows how many events of the database's consumers wait for another attempt or for staff; absent while it is unavailable. */
function measureFailedEvents(registry: Registry, pool: pg.Pool): void {
  if (registry.getSingleMetric('sss_failed_events')) return;
  const counts = reading(() => countKeptEvents(pool), READING);
  new Gauge({
    name: 'sss_failed_events',
    help: `Events kept after a failure, by consumer: retrying or parked for staff, counted up to ${MAX_COUNTED}.`,
    labelNames: ['consumer', 'state'] as const,
    registers: [registry],
    async collect() {
      this.reset();
      for (const { consumer, state, count } of (await counts()) ?? []) this.set({ consumer, state }, count);
    },
  });
}
