import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import { failureOf } from './publish-pending.ts';
import type { Publisher, StoredEvent } from './publisher.ts';

/** Copies of one flight. */
const FLIGHT = 256;
const ANSWER_MS = 5_000;

/**
 * Fills the places that the stream has lost and a durable has been past: the server keeps a durable's place whatever
 * became of the stream, and the durable would skip what is published there. A known event is published as often as it
 * takes; consumers that see it drop it, having applied it. Resolves once no durable is ahead of the stream. Throws when
 * the server cannot tell.
 */
export async function fillLostPlaces(
  pool: pg.Pool,
  publisher: Publisher,
  stream: string,
  log: Logger,
): Promise<void> {
  for (let filled = 0; ; ) {
    // The durables first: what is published meanwhile makes none of them seem ahead.
    const furthest = await furthestDurable(publisher, stream);
    const places = furthest === 0 ? 0 : furthest - (await lastPlace(publisher, stream));
    if (places <= 0) return;
    const event = await anyEvent(pool);
    if (!event) return;
    if (filled === 0) log.warn({ stream, count: places }, 'consumers ahead of the stream');
    const copies = Array.from({ length: Math.min(places, FLIGHT) }, () => event);
    let copy = filled;
    // Others may be filling, too; what is one's own is new each time.
    const own = `${event.event_id}.p${Date.now()}`;
    const failure = failureOf(await publisher.publishAll(stream, copies, () => `${own}.${copy++}`));
    if (failure) throw failure;
    filled += copies.length;
  }
}

/** The furthest place in the stream that any of its durables has been at; 0 without one. */
async function furthestDurable({ connection }: Publisher, stream: string): Promise<number> {
  const answer = await ask<{
    consumers: readonly { delivered: { stream_seq: number } }[] | null;
    missing?: readonly string[] | null;
  }>(connection, `$JS.API.CONSUMER.LIST.${stream}`);
  // Of several servers, some may not have chosen who answers for a durable.
  if (answer.missing?.length) throw new Error('places of durables unknown: some have no leader');
  return Math.max(0, ...(answer.consumers ?? []).map(({ delivered }) => delivered.stream_seq));
}

async function lastPlace({ connection }: Publisher, stream: string): Promise<number> {
  const answer = await ask<{ state: { last_seq: number } }>(connection, `$JS.API.STREAM.INFO.${stream}`);
  return answer.state.last_seq;
}

async function ask<Answer>(connection: Publisher['connection'], subject: string): Promise<Answer> {
  const message = await connection.request(subject, '{"offset":0}', { timeout: ANSWER_MS });
  const answer = message.json<Answer & { error?: { description?: string } }>();
  if (answer.error) throw new Error(`the server refused ${subject}: ${answer.error.description}`);
  return answer;
}

/** One that was published, or waits to be. */
async function anyEvent(pool: pg.Pool): Promise<StoredEvent | undefined> {
  const { rows } = await pool.query<StoredEvent>(
    `SELECT event_id, type, subject, envelope FROM domain_event
      WHERE event_id = coalesce((SELECT event_ids[1] FROM published_batch ORDER BY batch_id DESC LIMIT 1),
                                (SELECT event_id FROM outbox WHERE parked_at IS NULL ORDER BY seq LIMIT 1))`,
  );
  return rows[0];
}
