import type { Pool } from 'pg';
import { countKeptEvents } from '../../events/event-bus/failed-events.ts';
import type { Bus, Subscription } from '../../events/event-bus/index.ts';
import { readLag } from '../../events/event-bus/measure-consumer.ts';
import { readUnpublished } from '../../events/outbox/measure-outbox.ts';
import { within } from '../../runtime/deadlines/index.ts';

const LAG_MS = 2_000;

/** A durable, and the connection for reading its lag. */
export interface ConsumerToRead extends Pick<Subscription, 'stream' | 'consumer'> {
  readonly bus: Pick<Bus, 'connection'>;
}

export interface Backlog {
  readonly what: 'outbox' | 'consumer' | 'failed_events';
  readonly target: string;
  readonly explanation: string;
  readonly count: bigint;
}

/** The queues in which a service's events may wait. */
export interface Waiting {
  readonly pool: Pool;
  readonly hasOutbox: boolean;
  readonly consumer?: ConsumerToRead;
  /** Whether consumers keep their failed events in this database. */
  readonly keepsFailedEvents: boolean;
}

/** Returns the backlog of the outbox, of the consumer's stream, and of each consumer's failed events. */
export async function readBacklog({
  pool,
  hasOutbox,
  consumer,
  keepsFailedEvents,
}: Waiting): Promise<Backlog[]> {
  return [
    ...(hasOutbox ? await readOutbox(pool) : []),
    ...(consumer ? [await readConsumer(consumer)] : []),
    ...(keepsFailedEvents ? await readFailedEvents(pool) : []),
  ];
}

async function readOutbox(pool: Pool): Promise<Backlog[]> {
  const { count, ageSeconds, parked } = await readUnpublished(pool);
  const age = Math.round(ageSeconds);
  const explanation = count === 0 ? 'all events are published' : `unpublished, the oldest for ${age} s`;
  const outbox = { what: 'outbox', target: 'outbox' } as const;
  const waiting = { ...outbox, explanation, count: BigInt(count) };
  if (parked === 0) return [waiting];
  const refused = 'parked, because the stream refused them: list and release them with redrive --outbox';
  return [waiting, { ...outbox, explanation: refused, count: BigInt(parked) }];
}

/** Returns a function that reads a durable's lag within two seconds; undefined if NATS does not respond. */
export function lagReader({ bus, stream, consumer }: ConsumerToRead): () => Promise<number | undefined> {
  const read = async () => {
    const { pending, unacknowledged } = await readLag(bus, stream, consumer);
    return pending + unacknowledged;
  };
  return () => within(LAG_MS, read(), () => undefined).catch(() => undefined);
}

async function readConsumer(durable: ConsumerToRead): Promise<Backlog> {
  const { stream, consumer } = durable;
  const backlog = { what: 'consumer', target: `${consumer} of ${stream}` } as const;
  const lag = await lagReader(durable)();
  if (lag === undefined)
    return { ...backlog, explanation: 'NATS does not report how many events are left to consume', count: 0n };
  const explanation = lag === 0 ? 'all events are consumed' : 'published but not consumed yet';
  return { ...backlog, explanation, count: BigInt(lag) };
}

async function readFailedEvents(pool: Pool): Promise<Backlog[]> {
  return (await countKeptEvents(pool)).map(({ consumer, state, count }) => ({
    what: 'failed_events',
    target: consumer,
    explanation: state === 'parked' ? 'parked: list and release them with redrive' : 'being retried',
    count: BigInt(count),
  }));
}
