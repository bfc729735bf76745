import type pg from 'pg';
import { gaugesOf, type Registry, sharedCounter, sharedHistogram } from '../../runtime/metrics/index.ts';
import type { Outcome } from './apply-set.ts';
import type { Bus } from './bus.ts';
import { countKeptEvents, MAX_COUNTED } from './failed-events.ts';
import { measureLag } from './measure-lag.ts';

const OUTCOMES = ['handled', 'duplicate', 'waiting', 'unknown_type', 'parked', 'failed'] as const;

export interface ConsumerMeasures {
  /** Counts an event by outcome; a failing event has several outcomes. */
  ended(outcome: Outcome | 'failed'): void;
  /** Records the number of events taken together. */
  set(size: number): void;
}

/** Registers the metrics of a consumer. Several consumers in one process share them. */
export function measureConsumer(
  registry: Registry,
  { bus, consumer, stream, pool }: { bus: Bus; consumer: string; stream: string; pool: pg.Pool },
): ConsumerMeasures {
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
    ended: (outcome) => events.inc({ consumer, stream, outcome }),
    set: (size) => sets.observe({ consumer }, size),
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
