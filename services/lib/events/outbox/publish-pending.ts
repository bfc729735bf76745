import type pg from 'pg';
import { enqueue, inOpenedTransaction } from '../../data/postgres/index.ts';
import { newId } from '../../text/ids/index.ts';
import { messageIdOf, type Place } from './known-stream.ts';
import { parkUnpublishable, type UnpublishableEvent } from './parked-events.ts';
import type { Acknowledgement, Publisher, StoredEvent } from './publisher.ts';

/** Events per transaction. They are published concurrently and removed from the outbox with one statement. */
const BATCH = 256;

interface Pending extends StoredEvent {
  readonly seq: string;
}

/** A stream sequence that this process filled, in the given generation of the stream. */
export interface OwnPlace extends Place {
  readonly generation: number;
}

/**
 * Claims up to 256 events after `after`, publishes them and removes the acknowledged ones, in one transaction. Events
 * published before a crash keep their message id. Skips parked and locked rows; parks events that the stream will never
 * accept.
 */
export function publishPending(pool: pg.Pool, publisher: Publisher, stream: string, after: bigint) {
  const claim = (client: pg.PoolClient) =>
    client.query<Pending & { generation: number }>({
      name: 'outbox-claim',
      // Looks up each event by key: a join could read whole days of events.
      text: `SELECT o.seq, e.*, (SELECT generation FROM outbox_stream WHERE stream = $2) AS generation
             FROM (SELECT seq, event_id FROM outbox WHERE seq > $1 AND parked_at IS NULL
                   ORDER BY seq LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) o
             CROSS JOIN LATERAL (SELECT event_id, type, subject, envelope FROM domain_event
                                 WHERE event_id = o.event_id LIMIT 1) e ORDER BY o.seq`,
      values: [after, stream],
    });
  return inOpenedTransaction(pool, claim, async (client, { rows }) => {
    const [first] = rows;
    if (!first) return { through: after, more: false, parked: [], furthest: undefined, failure: undefined };
    const { generation } = first;
    const answers = await publisher.publishAll(stream, rows, (eventId) => messageIdOf(eventId, generation));
    const acked = rows.flatMap((row, index) => {
      const answer = answers[index];
      return answer && 'streamSeq' in answer ? [{ ...row, streamSeq: answer.streamSeq }] : [];
    });
    if (acked.length > 0) markPublished(client, stream, generation, acked);
    const parked = unpublishableOf(rows, answers);
    await parkUnpublishable(client, parked);
    const last = acked.reduce<(typeof acked)[0] | undefined>(
      (a, b) => (a && a.streamSeq > b.streamSeq ? a : b),
      undefined,
    );
    const furthest = last && {
      seq: last.streamSeq,
      messageId: messageIdOf(last.event_id, generation),
      at: new Date(),
      generation,
    };
    const failure = failureOf(answers);
    const through = BigInt(rows.at(-1)?.seq ?? after);
    // The next scan can start after `through`; there may be `more` if the batch was full.
    return { through, more: rows.length === BATCH, parked, furthest, failure };
  });
}

/** Returns the events to park because no attempt will publish them. */
export function unpublishableOf(
  events: readonly StoredEvent[],
  answers: readonly Acknowledgement[],
): UnpublishableEvent[] {
  return events.flatMap(({ event_id, type, envelope }, index) => {
    const answer = answers[index];
    if (!answer || !('failure' in answer) || !answer.unpublishable) return [];
    return [{ event_id, type, byteSize: envelope.length, failure: answer.failure }];
  });
}

/** Returns the error of an event that will be retried. */
export function failureOf(answers: readonly Acknowledgement[]): Error | undefined {
  const failed = answers.find((answer) => 'failure' in answer && !answer.unpublishable);
  return failed && 'failure' in failed ? failed.failure : undefined;
}

/**
 * Removes acknowledged events from the outbox and records their stream sequences. Leaves them if the stream was found
 * to have lost events since they were claimed, because they may be among the lost. The lock on the stream's row makes
 * the guard wait for this transaction, so that its refill covers these events. The commit need not wait for the disk:
 * after a crash the event is republished, recognised by the stream as a duplicate, and recorded.
 */
function markPublished(
  client: pg.PoolClient,
  stream: string,
  generation: number,
  acked: readonly { seq: string; event_id: string; streamSeq: number }[],
): void {
  enqueue(client, {
    name: 'outbox-mark',
    text: `WITH known AS (
             SELECT set_config('synchronous_commit', 'off', true)
             FROM outbox_stream WHERE stream = $5 AND generation = $6 FOR SHARE),
           published AS (DELETE FROM outbox WHERE seq = ANY ($1) AND EXISTS (SELECT FROM known))
           INSERT INTO published_batch (event_ids, stream_seqs, batch_id, generation) SELECT $2, $3, $4, $6 FROM known`,
    values: [
      acked.map(({ seq }) => seq),
      acked.map(({ event_id }) => event_id),
      acked.map(({ streamSeq }) => streamSeq),
      newId(),
      stream,
      generation,
    ],
  });
}
