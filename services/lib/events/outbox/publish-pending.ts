import type pg from 'pg';
import { enqueue, inOpenedTransaction } from '../../data/postgres/index.ts';
import { messageIdOf, type Place } from './known-stream.ts';
import { parkUnpublishable, type UnpublishableEvent } from './parked-events.ts';
import type { Acknowledgement, Publisher, StoredEvent } from './publisher.ts';

/** Events of one transaction: they are published concurrently and marked with one statement. */
const BATCH = 256;

interface Pending extends StoredEvent {
  readonly seq: string;
}

/** A place in the stream that this process filled, in that generation of the stream. */
export interface OwnPlace extends Place {
  readonly generation: number;
}

/** The result of one scan of the outbox. */
export interface PendingLook {
  /** Where the next scan can begin: everything claimable up to here has been claimed. */
  readonly through: bigint;
  /** Whether the batch was full: there may be more. */
  readonly more: boolean;
  /** Of the events that the stream acknowledged, the one furthest in it. */
  readonly furthest?: OwnPlace;
  /** Events that were parked. */
  readonly parked: readonly UnpublishableEvent[];
  readonly failure?: Error;
}

/**
 * Claims up to 256 events of the outbox after `after`, publishes them concurrently and moves those that the stream
 * acknowledged to `published_event`, in one transaction: after a crash in between some are published again under the
 * same message id. Rows that another relay holds, and parked ones, are skipped; events that the stream will never
 * accept are parked.
 */
export function publishPending(
  pool: pg.Pool,
  publisher: Publisher,
  stream: string,
  after: bigint,
): Promise<PendingLook> {
  const claim = (client: pg.PoolClient) =>
    client.query<Pending & { generation: number }>({
      name: 'outbox-claim',
      text: `SELECT seq, event_id, type, subject, envelope,
                    (SELECT generation FROM outbox_stream WHERE stream = $2) AS generation
             FROM outbox WHERE seq > $1 AND parked_at IS NULL ORDER BY seq LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
      values: [after, stream],
    });
  return inOpenedTransaction(pool, claim, async (client, { rows }) => {
    const [first] = rows;
    if (!first) return { through: after, more: false, parked: [] };
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
    return {
      through,
      more: rows.length === BATCH,
      parked,
      ...(furthest ? { furthest } : {}),
      ...(failure ? { failure } : {}),
    };
  });
}

/** The events to park, since no attempt will publish them. */
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

/** Why an event that will be retried was not published. */
export function failureOf(answers: readonly Acknowledgement[]): Error | undefined {
  const failed = answers.find((answer) => 'failure' in answer && !answer.unpublishable);
  return failed && 'failure' in failed ? failed.failure : undefined;
}

/**
 * Moves acknowledged events to `published_event`. Not if the stream was found to have lost events since they were
 * claimed: they may be among these, so they stay in the outbox. The lock on the stream's row makes the guard wait for
 * this transaction, so that its refill covers what is marked here. The commit need not wait for the disk: after a crash
 * the event is published again, recognised by the stream as a duplicate, and marked.
 */
function markPublished(
  client: pg.PoolClient,
  stream: string,
  generation: number,
  acked: readonly { seq: string; streamSeq: number }[],
): void {
  enqueue(client, {
    name: 'outbox-mark',
    text: `WITH known AS (
             SELECT set_config('synchronous_commit', 'off', true)
             FROM outbox_stream WHERE stream = $3 AND generation = $4 FOR SHARE),
           moved AS (
             DELETE FROM outbox o USING unnest($1::bigint[], $2::bigint[]) AS a(seq, stream_seq)
             WHERE o.seq = a.seq AND EXISTS (SELECT FROM known)
             RETURNING o.event_id, o.aggregate_id, o.type, o.subject, o.envelope, o.created_at, a.stream_seq)
           INSERT INTO published_event
             (event_id, aggregate_id, type, subject, envelope, created_at, generation, stream_seq)
           SELECT event_id, aggregate_id, type, subject, envelope, created_at, $4, stream_seq FROM moved
           ON CONFLICT (event_id) DO NOTHING`,
    values: [acked.map(({ seq }) => seq), acked.map(({ streamSeq }) => streamSeq), stream, generation],
  });
}
