import type pg from 'pg';
import { inTransaction } from '../../data/postgres/index.ts';

/** The newest place is the one with the highest sequence in this many newest batches. */
const NEWEST = 128;
/** Between moves of the anchor: a stream restored to a later state keeps everything before it. */
const ANCHOR_MS = 5 * 60_000;

export interface Place {
  readonly seq: number;
  readonly messageId: string;
  /** When it was published, or slightly earlier. */
  readonly at: Date;
}

/** Returns the id of a published event. It changes after a loss, or the stream may drop the copy. */
export const messageIdOf = (eventId: string, generation: number): string => `${eventId}.${generation}`;

export interface KnownStream {
  readonly born: string;
  /** Increases when the stream loses events. */
  readonly generation: number;
  readonly checkpoint: Place | undefined;
  readonly anchor: Place | undefined;
  /** The newest event published in this generation. */
  readonly newest: Place | undefined;
  /** The first sequence at which the stream acknowledged two events: it had lost the first. */
  readonly takenTwice: number | undefined;
}

/** Reads what the database knows about the stream; undefined if it has never been seen. */
export async function readKnownStream(pool: pg.Pool, stream: string): Promise<KnownStream | undefined> {
  const { rows } = await pool.query({
    name: 'outbox-known-stream',
    text: `WITH known AS (SELECT * FROM outbox_stream WHERE stream = $1),
                recent AS MATERIALIZED (
                  SELECT p.*, b.published_at
                  FROM (SELECT * FROM published_batch ORDER BY batch_id DESC LIMIT ${NEWEST}) b
                  JOIN known USING (generation)
                  CROSS JOIN unnest(b.event_ids, b.stream_seqs) AS p (event_id, stream_seq))
           SELECT s.*, n.stream_seq AS newest_seq, n.event_id AS newest_event_id, n.published_at AS newest_at,
                  (SELECT min(stream_seq) FROM (
                     SELECT stream_seq FROM recent GROUP BY stream_seq HAVING count(*) > 1) d) AS taken_twice
           FROM known s LEFT JOIN (SELECT * FROM recent ORDER BY stream_seq DESC LIMIT 1) n ON true`,
    values: [stream],
  });
  const [row] = rows;
  if (!row) return undefined;
  const place = (name: string): Place | undefined =>
    row[`${name}_seq`] === null
      ? undefined
      : { seq: Number(row[`${name}_seq`]), messageId: row[`${name}_message_id`], at: row[`${name}_at`] };
  const { born, generation } = row;
  row.newest_message_id = messageIdOf(row.newest_event_id, generation);
  return {
    born,
    generation,
    checkpoint: place('checkpoint'),
    anchor: place('anchor'),
    newest: place('newest'),
    takenTwice: row.taken_twice === null ? undefined : Number(row.taken_twice),
  };
}

/** Makes the newest event the checkpoint and an old checkpoint the anchor, unless another relay moved them first. */
export async function moveCheckpoint(pool: pg.Pool, stream: string, known: KnownStream): Promise<void> {
  const { newest, checkpoint, generation } = known;
  if (!newest || newest.seq <= (checkpoint?.seq ?? 0)) return;
  const isOld = !known.anchor || Date.now() - known.anchor.at.getTime() > ANCHOR_MS;
  const anchor = isOld ? checkpoint : known.anchor;
  await pool.query({
    name: 'outbox-move-checkpoint',
    text: `UPDATE outbox_stream SET checkpoint_seq = $4, checkpoint_message_id = $5, checkpoint_at = $6,
             anchor_seq = $7, anchor_message_id = $8, anchor_at = $9
           WHERE stream = $1 AND generation = $2 AND checkpoint_seq IS NOT DISTINCT FROM $3`,
    values: [stream, generation, checkpoint?.seq, ...columnsOf(newest), ...columnsOf(anchor)],
  });
}

const columnsOf = (place: Place | undefined) => [place?.seq, place?.messageId, place?.at];

/**
 * Records the loss of everything after `keepThrough`, starts a new generation and requests a refill. Resolves to
 * whether this relay did so, as the first of several, and events were lost.
 */
export function recordLoss(
  pool: pg.Pool,
  stream: string,
  born: string,
  known: KnownStream | undefined,
  keepThrough: number,
): Promise<boolean> {
  const lostGeneration = known?.generation ?? 0;
  return inTransaction(pool, async (tx) => {
    // Uses the lock order of a refill: the refill row, then the stream row.
    await tx.query('SELECT FROM outbox_refill WHERE stream = $1 FOR UPDATE', [stream]);
    // Waits for transactions that are marking events as published, so that the refill covers them.
    const { rowCount } = await tx.query(
      `INSERT INTO outbox_stream AS s (stream, born, generation) VALUES ($1, $2, $3)
       ON CONFLICT (stream) DO UPDATE SET born = $2, generation = $3, checkpoint_seq = NULL,
         checkpoint_message_id = NULL, checkpoint_at = NULL, anchor_seq = NULL, anchor_message_id = NULL,
         anchor_at = NULL
       WHERE s.generation = $4 AND $5`,
      [stream, born, lostGeneration + 1, lostGeneration, known !== undefined],
    );
    if (rowCount === 0) return false;
    // A new loss covers everything that an earlier one requested: the republished events may be lost too.
    await tx.query(`DELETE FROM outbox_refill WHERE stream = $1 AND reason = 'loss'`, [stream]);
    const { rowCount: refills } = await tx.query(
      `INSERT INTO outbox_refill (stream, reason, last_batch_id, lost_generation, keep_through)
       SELECT $1, 'loss', batch_id, $2, $3 FROM published_batch ORDER BY batch_id DESC LIMIT 1`,
      [stream, lostGeneration, keepThrough],
    );
    return (refills ?? 0) > 0;
  });
}
