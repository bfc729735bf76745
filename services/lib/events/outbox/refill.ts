import type pg from 'pg';
import { inTransaction } from '../../data/postgres/index.ts';
import type { Logger } from '../../runtime/log/index.ts';
import { parkUnpublishable, type UnpublishableEvent } from './parked-events.ts';
import { failureOf, unpublishableOf } from './publish-pending.ts';
import type { Publisher, StoredEvent } from './publisher.ts';

const CHUNK = 256;
const LOG_EVERY = 100_000;
/** The maximum clock difference between the process that creates an event and one that publishes it. */
const SKEW = '1 minute';
/** Above every generation: no published event counts as still in the stream. */
const EVERY_GENERATION = 2_147_483_647;

interface Refill {
  readonly id: string;
  readonly reason: string;
  readonly first_event_id: string;
  readonly after_batch_id: string;
  readonly last_batch_id: string;
  readonly lost_generation: number;
  readonly keep_through: string;
  readonly published: string;
}

const refilledId = (eventId: string, { id }: Refill) => `${eventId}.r${id}`;

/** The result of one chunk: 'idle' if there is nothing to refill or another relay is doing it. */
export type RefillProgress = 'idle' | 'more' | 'completed';

export interface RefillReports {
  readonly log: Logger;
  reportParked(parked: readonly UnpublishableEvent[]): void;
}

/**
 * Republishes the lost events in the next batches of the oldest refill, at most 256 events, and moves its cursor.
 * Message ids are specific to the refill, so that the stream does not drop the events as duplicates of lost ones, but
 * does drop a chunk that is published twice. Parks events that the stream now rejects. Throws without moving the cursor
 * if an event could not be published.
 */
export function refillChunk(
  pool: pg.Pool,
  publisher: Publisher,
  stream: string,
  { log, reportParked }: RefillReports,
): Promise<RefillProgress> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<Refill>({
      name: 'outbox-refill',
      text: `SELECT * FROM outbox_refill WHERE stream = $1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`,
      values: [stream],
    });
    const [refill] = rows;
    if (!refill) return 'idle';
    const { events, last } = await readChunk(tx, refill);
    const answers = await publisher.publishAll(stream, events, (eventId) => refilledId(eventId, refill));
    const failure = failureOf(answers);
    if (failure) throw failure;
    const parked = unpublishableOf(events, answers);
    await parkUnpublishable(tx, parked);
    reportParked(parked);

    const published = Number(refill.published) + events.length - parked.length;
    const fields = { stream, reason: refill.reason, generation: Number(refill.id), count: published };
    const acked = events.flatMap(({ event_id }, index) => {
      const answer = answers[index];
      return answer && 'streamSeq' in answer ? [{ event_id, streamSeq: answer.streamSeq }] : [];
    });
    const final = acked.at(-1);
    if (final) await markPlace(tx, stream, final.streamSeq, refilledId(final.event_id, refill));
    if (last === undefined) {
      await tx.query('DELETE FROM outbox_refill WHERE id = $1', [refill.id]);
      log.info(fields, 'stream refill completed');
      return 'completed';
    }
    await tx.query({
      name: 'outbox-refill-advance',
      // The commit need not wait for the disk: the stream drops a chunk that is published twice.
      text: `UPDATE outbox_refill SET after_batch_id = $2, published = $3 WHERE id = $1
             RETURNING set_config('synchronous_commit', 'off', true)`,
      values: [refill.id, last, published],
    });
    if (refill.published === '0' && published > 0) log.info(fields, 'stream refill started');
    if (Math.floor(published / LOG_EVERY) > Math.floor(Number(refill.published) / LOG_EVERY)) {
      log.info(fields, 'stream refill progress');
    }
    return 'more';
  });
}

/** Returns the lost events of the next batches and the last batch id, which is undefined if none are left. */
async function readChunk(
  tx: pg.PoolClient,
  { first_event_id, after_batch_id, last_batch_id, lost_generation, keep_through }: Refill,
): Promise<{ events: StoredEvent[]; last: string | undefined }> {
  const { rows } = await tx.query<StoredEvent & { batch_id: string }>({
    name: 'outbox-refill-chunk',
    text: `SELECT b.batch_id, e.*
           FROM (SELECT *, sum(cardinality(event_ids)) OVER (ORDER BY batch_id) AS total
                 FROM (SELECT * FROM published_batch WHERE batch_id > $1 AND batch_id <= $2
                       ORDER BY batch_id LIMIT ${CHUNK}) n) b
           CROSS JOIN unnest(b.event_ids, b.stream_seqs) WITH ORDINALITY AS p (event_id, stream_seq, place)
           LEFT JOIN LATERAL (
             SELECT event_id, type, subject, envelope FROM domain_event
             WHERE event_id = p.event_id AND event_id >= $5
               AND (b.generation < $3 OR (b.generation = $3 AND p.stream_seq > $4)) LIMIT 1) e ON true
           WHERE b.total <= ${CHUNK} ORDER BY b.batch_id, p.place`,
    values: [after_batch_id, last_batch_id, lost_generation, keep_through, first_event_id],
  });
  return { events: rows.filter(({ event_id }) => event_id !== null), last: rows.at(-1)?.batch_id };
}

/** Makes a refilled event the checkpoint, as the guard would know no place in this generation. */
async function markPlace(tx: pg.PoolClient, stream: string, seq: number, messageId: string): Promise<void> {
  await tx.query({
    name: 'outbox-refill-place',
    text: `UPDATE outbox_stream SET checkpoint_seq = $2, checkpoint_message_id = $3, checkpoint_at = CURRENT_TIMESTAMP
           WHERE stream = $1 AND checkpoint_seq IS NULL`,
    values: [stream, seq, messageId],
  });
}

/** Requests that the relay republish events created since then. Resolves to their number. */
export async function requestReplay(pool: pg.Pool, since: Date): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `WITH chosen AS (
       SELECT count(*) AS count, event_id_floor($1) AS first FROM domain_event WHERE event_id >= event_id_floor($1)),
     requested AS (
       INSERT INTO outbox_refill (stream, reason, first_event_id, after_batch_id, last_batch_id, lost_generation, keep_through)
       SELECT stream, 'replay', first, event_id_floor($1 - interval '${SKEW}'), batch_id, ${EVERY_GENERATION}, 0
       FROM chosen, outbox_stream, (SELECT batch_id FROM published_batch ORDER BY batch_id DESC LIMIT 1) AS newest
       WHERE count > 0)
     SELECT count FROM chosen`,
    [since],
  );
  return Number(rows[0]?.count ?? 0);
}
