import { jetstreamManager } from '@nats-io/jetstream';
import type { Pool } from 'pg';
import type { Bus, Subscription } from '../../events/event-bus/index.ts';
import { within } from '../../runtime/deadlines/index.ts';

/** Counts are capped, so that counting a backlog does not add to it. */
const MAX_COUNTED = 100_000;
const LAG_MS = 2_000;

/** A durable, and the connection for reading its lag. */
export interface ConsumerToRead extends Pick<Subscription, 'stream' | 'consumer'> {
  readonly bus: Pick<Bus, 'connection'>;
}

/** A queue and its size. */
export interface Backlog {
  readonly what: 'outbox' | 'consumer' | 'failed_events';
  readonly target: string;
  readonly explanation: string;
  readonly count: bigint;
}

/** The queues in which a service's events may wait. */
export interface Waiting {
  readonly pool: Pool;
  /** Whether the service publishes events. */
  readonly hasOutbox: boolean;
  /** The durable that the process consumes, if any. */
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
    ...(consumer ? [await readLag(consumer)] : []),
    ...(keepsFailedEvents ? await readFailedEvents(pool) : []),
  ];
}

async function readOutbox(pool: Pool): Promise<Backlog[]> {
  const { rows } = await pool.query<{ count: number; age: number; parked: number }>(
    `SELECT count(*) FILTER (WHERE NOT parked)::int AS count, count(*) FILTER (WHERE parked)::int AS parked,
            coalesce(extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE NOT parked))::int, 0) AS age
       FROM (SELECT created_at, parked_at IS NOT NULL AS parked FROM outbox ORDER BY seq LIMIT ${MAX_COUNTED}) AS waiting`,
  );
  const { count = 0, age = 0, parked = 0 } = rows[0] ?? {};
  const explanation = count === 0 ? 'all events are published' : `unpublished, the oldest for ${age} s`;
  const outbox = { what: 'outbox', target: 'outbox' } as const;
  const waiting = { ...outbox, explanation, count: BigInt(count) };
  if (parked === 0) return [waiting];
  const refused = 'parked, because the stream refused them: list and release them with redrive --outbox';
  return [waiting, { ...outbox, explanation: refused, count: BigInt(parked) }];
}

/** Returns a function that reads a durable's lag within two seconds; undefined if NATS does not respond. */
export function lagReader({ bus, stream, consumer }: ConsumerToRead): () => Promise<number | undefined> {
  return () => within(LAG_MS, askForLag(bus, stream, consumer), () => undefined).catch(() => undefined);
}

async function readLag(read: ConsumerToRead): Promise<Backlog> {
  const { stream, consumer } = read;
  const durable = { what: 'consumer', target: `${consumer} of ${stream}` } as const;
  const lag = await lagReader(read)();
  if (lag === undefined)
    return { ...durable, explanation: 'NATS does not report how many events are left to consume', count: 0n };
  const explanation = lag === 0 ? 'all events are consumed' : 'published but not consumed yet';
  return { ...durable, explanation, count: BigInt(lag) };
}

async function askForLag(bus: Pick<Bus, 'connection'>, stream: string, consumer: string) {
  const connection = bus.connection();
  if (!connection) return undefined;
  const { consumers } = await jetstreamManager(connection, { checkAPI: false });
  const { num_pending, num_ack_pending } = await consumers.info(stream, consumer);
  return num_pending + num_ack_pending;
}

async function readFailedEvents(pool: Pool): Promise<Backlog[]> {
  const { rows } = await pool.query<{ consumer: string; parked: boolean; count: number }>(
    `SELECT consumer, parked, count(*)::int AS count
       FROM (SELECT consumer, parked_at IS NOT NULL AS parked FROM failed_event LIMIT ${MAX_COUNTED}) AS kept
      GROUP BY consumer, parked ORDER BY consumer, parked`,
  );
  return rows.map(({ consumer, parked, count }) => ({
    what: 'failed_events',
    target: consumer,
    explanation: parked ? 'parked: list and release them with redrive' : 'being retried',
    count: BigInt(count),
  }));
}
