import type pg from 'pg';

type Sql = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** An event that the stream rejects, and the reason. */
export interface UnpublishableEvent {
  readonly event_id: string;
  readonly type: string;
  readonly byteSize: number;
  /** The error of the client or the server, which quotes no data. */
  readonly failure: Error;
}

/**
 * Parks events that the stream will always reject, until staff release them. Later events of their aggregates are
 * published. A published event returns to the outbox.
 */
export async function parkUnpublishable(sql: Sql, events: readonly UnpublishableEvent[]): Promise<void> {
  if (events.length === 0) return;
  await sql.query(
    `WITH given AS (SELECT * FROM unnest($1::uuid[], $2::text[]) AS g (event_id, failure)),
          parked AS (
            UPDATE outbox o SET parked_at = clock_timestamp(), failure = g.failure FROM given g
             WHERE o.event_id = g.event_id RETURNING o.event_id)
     INSERT INTO outbox (event_id, parked_at, failure)
     SELECT event_id, clock_timestamp(), failure FROM given WHERE event_id NOT IN (SELECT event_id FROM parked)`,
    [events.map(({ event_id }) => event_id), events.map(({ failure }) => failure.message)],
  );
}

/** A parked event as staff see it, without its content. */
export interface ParkedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly aggregateId: string;
  readonly byteSize: number;
  readonly failure: string;
  readonly ageSeconds: number;
}

/** Returns the parked events of the outbox, oldest first. */
export async function listParkedOutboxEvents(sql: Sql, max: number): Promise<ParkedEvent[]> {
  const { rows } = await sql.query<ParkedEvent>(
    `SELECT e.event_id AS "eventId", type, aggregate_id AS "aggregateId", length(envelope) AS "byteSize", failure,
            extract(epoch FROM clock_timestamp() - created_at)::int AS "ageSeconds"
       FROM outbox o JOIN domain_event e ON e.event_id = o.event_id
      WHERE parked_at IS NOT NULL ORDER BY seq LIMIT $1`,
    [max],
  );
  return rows;
}

/** Releases up to `max` parked events to the relay, oldest first. Resolves to the count. */
export async function releaseParkedOutboxEvents(sql: Sql, max: number): Promise<number> {
  const { rowCount } = await sql.query(
    `UPDATE outbox SET parked_at = NULL, failure = NULL
      WHERE seq IN (SELECT seq FROM outbox WHERE parked_at IS NOT NULL ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [max],
  );
  return rowCount ?? 0;
}
