import type { JetStreamClient } from '@nats-io/jetstream';
import type pg from 'pg';
import { subjectOf } from '../event-bus/streams.ts';

const BATCH = 256;
const ACK_TIMEOUT_MS = 5_000;

interface Row {
  seq: string;
  event_id: string;
  type: string;
  envelope: Buffer;
  generation: number;
}

/**
 * Claims up to 256 unpublished rows, publishes them side by side and marks those that the stream acknowledged, in one
 * transaction: a crash in between publishes some again under the same message id. Resolves to whether the batch was
 * full. Throws when any publish failed, after the others have been marked.
 */
export async function publishBatch(pool: pg.Pool, client: JetStreamClient, stream: string): Promise<boolean> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query('BEGIN');
    const { rows } = await connection.query<Row>({
      name: 'outbox-claim',
      text: `SELECT seq, event_id, type, envelope, generation FROM outbox WHERE published_at IS NULL
             ORDER BY seq LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    });
    const outcomes = await Promise.allSettled(rows.map((row) => publish(client, stream, row)));
    const acked = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    if (acked.length > 0) await markPublished(connection, stream, acked);
    await connection.query('COMMIT');
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure) throw failure.reason;
    return rows.length === BATCH;
  } catch (error) {
    broken = error instanceof Error ? error : new Error('publishing failed', { cause: error });
    await connection.query('ROLLBACK').catch(() => {});
    throw broken;
  } finally {
    connection.release(broken);
  }
}

async function publish(
  client: JetStreamClient,
  stream: string,
  row: Row,
): Promise<{ seq: string; streamSeq: number }> {
  const ack = await client.publish(subjectOf(row.type), row.envelope, {
    msgID: row.generation === 0 ? row.event_id : `${row.event_id}.${row.generation}`,
    timeout: ACK_TIMEOUT_MS,
    expect: { streamName: stream },
  });
  return { seq: row.seq, streamSeq: ack.seq };
}

async function markPublished(
  connection: pg.PoolClient,
  stream: string,
  acked: { seq: string; streamSeq: number }[],
): Promise<void> {
  await connection.query({
    name: 'outbox-mark',
    text: `WITH marked AS (
             UPDATE outbox o SET published_at = CURRENT_TIMESTAMP, stream_seq = a.stream_seq
             FROM unnest($1::bigint[], $2::bigint[]) AS a(seq, stream_seq) WHERE o.seq = a.seq)
           UPDATE outbox_stream SET last_seq = greatest(last_seq, $3) WHERE stream = $4`,
    values: [
      acked.map(({ seq }) => seq),
      acked.map(({ streamSeq }) => streamSeq),
      Math.max(...acked.map(({ streamSeq }) => streamSeq)),
      stream,
    ],
  });
}
