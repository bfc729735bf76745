import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import { failureOf } from './publish-pending.ts';
import type { Publisher, StoredEvent } from './publisher.ts';

const FLIGHT = 256;
const ANSWER_MS = 5_000;

/**
 * Fills stream sequences that the stream lost and a durable has passed. The server keeps a durable's position even if
 * the stream goes back, so the durable would skip events published at those sequences. Publishes copies of a known
 * event as often as needed; consumers drop them as already applied. Resolves when no durable is ahead of the stream.
 * Throws if the server cannot report the positions.
 */
export async function fillLostPlaces(
  pool: pg.Pool,
  publisher: Publisher,
  stream: string,
  log: Logger,
): Promise<void> {
  for (let filled = 0; ; ) {
    // Read the durables first, so that events published in the meantime do not make one seem ahead.
    const furthest = await furthestDurable(publisher, stream);
    const places = furthest === 0 ? 0 : furthest - (await lastPlace(publisher, stream));
    if (places <= 0) return;
    const event = await anyEvent(pool);
    if (!event) return;
    if (filled === 0) log.warn({ stream, count: places }, 'consumers ahead of the stream');
    const copies = Array.from({ length: Math.min(places, FLIGHT) }, () => event);
    let copy = filled;
    // Other relays may be filling too, so each relay uses new message ids.
    const own = `${event.event_id}.p${Date.now()}`;
    const failure = failureOf(await publisher.publishAll(stream, copies, () => `${own}.${copy++}`));
    if (failure) throw failure;
    filled += copies.length;
  }
}

/** Returns the highest sequence that any durable of the stream has reached; 0 without durables. */
async function furthestDurable({ connection }: Publisher, stream: string): Promise<number> {
  const answer = await ask<{
    consumers: readonly { delivered: { stream_seq: number } }[] | null;
    missing?: readonly string[] | null;
  }>(connection, `$JS.API.CONSUMER.LIST.${stream}`);
  // In a cluster, some durables may not have a leader yet.
  if (answer.missing?.length) throw new Error('positions of durable consumers unknown: some have no leader');
  return Math.max(0, ...(answer.consumers ?? []).map(({ delivered }) => delivered.stream_seq));
}

async function lastPlace({ connection }: Publisher, stream: string): Promise<number> {
  const answer = await ask<{ state: { last_seq: number } }>(connection, `$JS.API.STREAM.INFO.${stream}`);
  return answer.state.last_seq;
}

async function ask<Answer>(connection: Publisher['connection'], subject: string): Promise<Answer> {
  const message = await connection.request(subject, '{"offset":0}', { timeout: ANSWER_MS });
  const answer = message.json<Answer & { error?: { description?: string } }>();
  if (answer.error) throw new Error(`the server rejected ${subject}: ${answer.error.description}`);
  return answer;
}

/** Returns a published event, or else an unpublished one. */
async function anyEvent(pool: pg.Pool): Promise<StoredEvent | undefined> {
  const { rows } = await pool.query<StoredEvent>(
    `SELECT event_id, type, subject, envelope FROM domain_event
      WHERE event_id = coalesce((SELECT event_ids[1] FROM published_batch ORDER BY batch_id DESC LIMIT 1),
                                (SELECT event_id FROM outbox WHERE parked_at IS NULL ORDER BY seq LIMIT 1))`,
  );
  return rows[0];
}
