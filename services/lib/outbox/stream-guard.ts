import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import type pg from 'pg';
import { streamConfig } from '../event-bus/streams.ts';
import type { Logger } from '../log/index.ts';

/**
 * Makes sure that the stream exists and still holds what was published to it. A stream that was born anew, or that is
 * shorter than it was known to be, has lost events: the kept rows that it lost are marked for publishing again.
 * Returns how many.
 */
export async function guardStream(
  pool: pg.Pool,
  manager: JetStreamManager,
  stream: string,
  log: Logger,
): Promise<number> {
  const info = await findOrCreate(manager, stream);
  const seen = { born: info.created, lastSeq: info.state.last_seq };
  const known = await pool.query(
    'SELECT born, last_seq::float8 AS last_seq FROM outbox_stream WHERE stream = $1',
    [stream],
  );
  const before = known.rows[0];
  if (before?.born === seen.born && before.last_seq <= seen.lastSeq) return 0;
  // A stream seen for the first time holds nothing that an outbox with published rows can rely on.
  const keep = before?.born === seen.born ? seen.lastSeq : 0;
  const refilled = await refill(pool, stream, seen, keep);
  if (refilled > 0) log.warn({ stream, count: refilled }, 'the stream lost events: publishing them again');
  return refilled;
}

/** The check of what was known happens in the statement, so that several relays refill once. */
async function refill(
  pool: pg.Pool,
  stream: string,
  seen: { born: string; lastSeq: number },
  keep: number,
): Promise<number> {
  const result = await pool.query(
    `WITH noted AS (
       INSERT INTO outbox_stream AS s (stream, born, last_seq) VALUES ($1, $2, $3)
       ON CONFLICT (stream) DO UPDATE SET born = $2, last_seq = $3 WHERE s.born <> $2 OR s.last_seq > $3
       RETURNING 1),
     again AS (
       UPDATE outbox SET published_at = NULL, stream_seq = NULL, generation = generation + 1
       WHERE published_at IS NOT NULL AND stream_seq > $4 AND EXISTS (SELECT 1 FROM noted) RETURNING 1)
     SELECT count(*)::int AS count FROM again`,
    [stream, seen.born, seen.lastSeq, keep],
  );
  return result.rows[0].count;
}

async function findOrCreate(manager: JetStreamManager, stream: string): Promise<StreamInfo> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) throw error;
    return manager.streams.add(streamConfig(stream));
  }
}
