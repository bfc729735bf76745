import type { DescMessage } from '@bufbuild/protobuf';
import type pg from 'pg';
import { type PendingRows, queueOf, type RetryDelays } from '../../data/queues/index.ts';
import type { EventId } from '../../text/ids/index.ts';
import { type ReceivedEvent, UNAUTHENTICATED } from './received-event.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** An event is parked after eight attempts. */
export const EVENT_RETRY_DELAYS: RetryDelays = {
  seconds: [1, 5, 15, 60, 300, 900, 3_600],
  repeatsLast: false,
};
const queue = queueOf({ table: 'failed_event', delays: EVENT_RETRY_DELAYS });

/** Counts are capped so that counting does not add load. */
export const MAX_COUNTED = 100_000;

export interface EventToKeep {
  readonly received: ReceivedEvent<readonly DescMessage[]>;
  readonly attempts: number;
  readonly dueInMs: number;
  readonly parked: boolean;
  /** Contains no personal data. */
  readonly failure: string;
}

/** Keeps events, in order. Events that are already kept stay unchanged. */
export async function keepEvents(sql: Sql, consumer: string, events: readonly EventToKeep[]): Promise<void> {
  if (events.length === 0) return;
  const column = <Value>(pick: (event: EventToKeep) => Value) => events.map(pick);
  await sql.query({
    name: 'failed-event-keep',
    text: `INSERT INTO failed_event
             (consumer, event_id, aggregate_id, type, subject, envelope, attempts, due_at, parked_at, failure)
           SELECT $1, event_id, aggregate_id, type, subject, envelope, attempts,
                  clock_timestamp() + due_in_ms * interval '1 millisecond', CASE WHEN parked THEN clock_timestamp() END, failure
             FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bytea[], $7::int[], $8::int[], $9::boolean[],
                         $10::text[]) WITH ORDINALITY
               AS e (event_id, aggregate_id, type, subject, envelope, attempts, due_in_ms, parked, failure, place)
            ORDER BY place
           ON CONFLICT (consumer, event_id) DO NOTHING`,
    values: [
      consumer,
      column(({ received }) => received.id),
      column(({ received }) => received.aggregateId ?? null),
      column(({ received }) => received.type),
      column(({ received }) => received.subject),
      column(({ received }) => received.envelope),
      column(({ attempts }) => attempts),
      column(({ dueInMs }) => dueInMs),
      column(({ parked }) => parked),
      column(({ failure }) => failure),
    ],
  });
}

/** Whoever can send such messages can send any number of them: the first ones suffice to find the sender. */
const MAX_UNAUTHENTICATED = 100;
const MAX_EVIDENCE_BYTES = 4_096;

/**
 * Parks the first 4 KiB of messages that aren't the publisher's, about 100 of a consumer. The others are only counted.
 * They are evidence: nothing retries them, and releasing parked events leaves them alone.
 */
export async function keepUnauthenticated(
  sql: Sql,
  consumer: string,
  messages: readonly ReceivedEvent<readonly DescMessage[]>[],
): Promise<void> {
  if (messages.length === 0) return;
  await sql.query({
    name: 'failed-event-keep-unauthenticated',
    text: `INSERT INTO failed_event (consumer, event_id, type, subject, envelope, due_at, parked_at, failure)
           SELECT $1, event_id, $2, subject, envelope, clock_timestamp(), clock_timestamp(), 'is not an authentic event'
             FROM unnest($3::uuid[], $4::text[], $5::bytea[]) AS m (event_id, subject, envelope)
            LIMIT greatest(0, ${MAX_UNAUTHENTICATED} - (
              SELECT count(*) FROM failed_event WHERE consumer = $1 AND aggregate_id IS NULL AND type = $2))
           ON CONFLICT (consumer, event_id) DO NOTHING`,
    values: [
      consumer,
      UNAUTHENTICATED,
      messages.map(({ id }) => id),
      messages.map(({ subject }) => subject),
      messages.map(({ envelope }) => envelope.subarray(0, MAX_EVIDENCE_BYTES)),
    ],
  });
}

/** Deletes the kept messages that weren't the publisher's. Resolves to their number. */
export async function deleteUnauthenticated(sql: Sql, consumer: string): Promise<number> {
  const { rowCount } = await sql.query({
    text: 'DELETE FROM failed_event WHERE consumer = $1 AND type = $2',
    values: [consumer, UNAUTHENTICATED],
  });
  return rowCount ?? 0;
}

/** A kept event that is due and locked by the process that claimed it. */
export interface ClaimedEvent {
  readonly id: EventId;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly attempts: number;
}

/** Locks the event that has been due longest and is first of its aggregate. `''` is no envelope. */
export async function claimDueEvent(
  tx: Sql,
  consumer: string,
  types: readonly string[],
): Promise<ClaimedEvent | undefined> {
  const [claimed] = await queue.claim<ClaimedEvent>(tx, DUE_FIRST, 1, consumer, types);
  return claimed;
}

const DUE_FIRST: PendingRows = {
  name: 'failed-event',
  columns: 'w.event_id AS id, w.subject, w.envelope AS data',
  pending: `failed_event w
    WHERE w.consumer = $2 AND w.type = ANY ($3)
      AND NOT EXISTS (SELECT FROM failed_event e
                       WHERE e.consumer = $2 AND e.aggregate_id = w.aggregate_id AND e.type = ANY ($3)
                         AND e.parked_at IS NULL AND e.seq < w.seq)`,
  order: 'w.due_at, w.seq',
};

export async function removeEvent(tx: Sql, consumer: string, id: EventId): Promise<void> {
  await tx.query({
    name: 'failed-event-remove',
    text: 'DELETE FROM failed_event WHERE consumer = $1 AND event_id = $2',
    values: [consumer, id],
  });
}

/** Records a failed attempt, once per claim. Parks the event if `isFinal` or after its last attempt. */
export async function noteFailedAttempt(
  sql: Sql,
  consumer: string,
  { id, attempts }: Pick<ClaimedEvent, 'id' | 'attempts'>,
  failure: string,
  isFinal: boolean,
): Promise<void> {
  const event = { where: 'consumer = $1 AND event_id = $2', values: [consumer, id] };
  await queue.fail(sql, event, { failed: attempts, reason: failure, isFinal });
}

export interface KeptEvent {
  readonly eventId: string;
  readonly type: string;
  readonly aggregateId: string | null;
  readonly state: 'retrying' | 'parked';
  readonly attempts: number;
  readonly failure: string;
  readonly ageSeconds: number;
}

/** Returns a consumer's kept events: parked before retrying, oldest first. */
export async function listKeptEvents(sql: Sql, consumer: string, max: number): Promise<KeptEvent[]> {
  const { rows } = await sql.query<KeptEvent>({
    text: `SELECT event_id AS "eventId", type, aggregate_id AS "aggregateId", attempts, failure,
                  CASE WHEN parked_at IS NULL THEN 'retrying' ELSE 'parked' END AS state,
                  extract(epoch FROM clock_timestamp() - received_at)::int AS "ageSeconds"
             FROM failed_event WHERE consumer = $1 ORDER BY parked_at IS NULL, seq LIMIT $2`,
    values: [consumer, max],
  });
  return rows;
}

/** Returns the number of kept events per consumer, counting up to 100,000 in total. */
export async function countKeptEvents(
  sql: Sql,
): Promise<{ consumer: string; state: KeptEvent['state']; count: number }[]> {
  const { rows } = await sql.query(
    `SELECT consumer, CASE WHEN parked THEN 'parked' ELSE 'retrying' END AS state, count(*)::int AS count
       FROM (SELECT consumer, parked_at IS NOT NULL AS parked FROM failed_event LIMIT ${MAX_COUNTED}) AS kept
      GROUP BY consumer, parked ORDER BY consumer, parked`,
  );
  return rows;
}

/** Makes up to `max` parked events due immediately, oldest first, and resets their attempts. Returns the count. Leaves unauthenticated ones. */
export async function releaseParkedEvents(sql: Sql, consumer: string, max: number): Promise<number> {
  const oldest = {
    where: `consumer = $1 AND event_id IN (
              SELECT event_id FROM failed_event WHERE consumer = $1 AND parked_at IS NOT NULL AND type <> $3
               ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    values: [consumer, max, UNAUTHENTICATED],
  };
  return (await queue.release(sql, oldest, 'event_id')).length;
}
