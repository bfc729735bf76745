import type pg from 'pg';

/** Publishes again all events recorded at or after `since`; consumers drop what they have applied. Returns how many. */
export async function republishSince(pool: pg.Pool, since: Date): Promise<number> {
  return republish(pool, 'created_at >= $1', [since]);
}

/** Publishes again all kept events of one aggregate. Returns how many. */
export async function republishAggregate(pool: pg.Pool, aggregateId: string): Promise<number> {
  return republish(pool, 'aggregate_id = $1', [aggregateId]);
}

/** A new generation gives each message a new id, so that the stream's own duplicate window does not swallow it. */
async function republish(pool: pg.Pool, which: string, values: unknown[]): Promise<number> {
  const result = await pool.query(
    `WITH again AS (
       UPDATE outbox SET published_at = NULL, stream_seq = NULL, generation = generation + 1
       WHERE published_at IS NOT NULL AND ${which} RETURNING 1)
     SELECT count(*)::int AS count, pg_notify('outbox', '') FROM again`,
    values,
  );
  return result.rows[0].count;
}
