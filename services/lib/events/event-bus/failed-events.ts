import type { DescMessage } from '@bufbuild/protobuf';
import type pg from 'pg';
import type { EventId } from '../../text/ids/index.ts';
import { type ReceivedEvent, UNAUTHENTICATED } from './received-event.ts';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** The delay after each failure of an event. It is parked after eight attempts, when the last delay is used up. */
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000];

/** Counts are capped so that counting does not add load. */
export const MAX_COUNTED = 100_000;

/** Returns the delay after attempt number `attempts` failed, or undefined after the last attempt. */
export function retryDelayMs(attempts: number): number | undefined {
  return RETRY_DELAYS_MS[attempts - 1];
}

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
  const { rows } = await tx.query<ClaimedEvent>({
    name: 'failed-event-claim',
    text: `SELECT f.event_id AS id, f.subject, f.envelope AS data, f.attempts
             FROM failed_event f
            WHERE f.consumer = $1 AND f.type = ANY ($2) AND f.parked_at IS NULL AND f.due_at <= clock_timestamp()
              AND NOT EXISTS (SELECT FROM failed_event e
                               WHERE e.consumer = $1 AND e.aggregate_id = f.aggregate_id AND e.type = ANY ($2)
                                 AND e.parked_at IS NULL AND e.seq < f.seq)
            ORDER BY f.due_at, f.seq LIMIT 1 FOR UPDATE SKIP LOCKED`,
    values: [consumer, types],
  });
  return rows[0];
}

export async function removeEvent(tx: Sql, consumer: string, id: EventId): Promise<void> {
  await tx.query({
    name: 'failed-event-remove',
    text: 'DELETE FROM failed_event WHERE consumer = $1 AND event_id = $2',
    values: [consumer, id],
  });
}

/** Records that attempt number `attempts` failed, once per attempt. Parks the event if there is no next one. */
export async function noteFailedAttempt(
  sql: Sql,
  consumer: string,
  failed: { id: EventId; attempts: number; nextInMs: number | undefined; failure: string },
): Promise<void> {
  await sql.query({
    text: `UPDATE failed_event
              SET attempts = $3, failure = $4, due_at = clock_timestamp() + $5 * interval '1 millisecond',
                  parked_at = CASE WHEN $6 THEN clock_timestamp() END
            WHERE consumer = $1 AND event_id = $2 AND attempts = $3 - 1 AND parked_at IS NULL`,
    values: [
      consumer,
      failed.id,
      failed.attempts,
      failed.failure,
      failed.nextInMs ?? 0,
      failed.nextInMs === undefined,
    ],
  });
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
  const { rowCount } = await sql.query({
    text: `UPDATE failed_event SET parked_at = NULL, attempts = 0, due_at = clock_timestamp()
            WHERE consumer = $1 AND event_id IN (
              SELECT event_id FROM failed_event WHERE consumer = $1 AND parked_at IS NOT NULL AND type <> $3
               ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    values: [consumer, max, UNAUTHENTICATED],
  });
  return rowCount ?? 0;
}
