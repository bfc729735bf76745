import type pg from 'pg';
import { gaugesOf, type Registry } from '../../runtime/metrics/index.ts';

/** Counts are capped, so that counting a backlog does not add to it. */
const MAX_COUNTED = 100_000;

/** Reports the outbox backlog and events to republish; no values while the database is unavailable. */
export function measureOutbox(registry: Registry, pool: pg.Pool): void {
  const unpublished = gaugesOf(registry, () => readUnpublished(pool));
  unpublished(
    {
      name: 'sss_outbox_unpublished_events',
      help: `Unpublished events in the outbox, counted up to ${MAX_COUNTED}.`,
    },
    ({ count }) => count,
  );
  unpublished(
    {
      name: 'sss_outbox_oldest_unpublished_age_seconds',
      help: 'Age of the oldest unpublished event in the outbox; 0 if there is none.',
    },
    ({ ageSeconds }) => ageSeconds,
  );
  unpublished(
    {
      name: 'sss_outbox_parked_events',
      help: `Parked events in the outbox, which the stream refused, counted up to ${MAX_COUNTED}.`,
    },
    ({ parked }) => parked,
  );
  gaugesOf(registry, () => readRefill(pool))(
    {
      name: 'sss_outbox_refill_remaining_events',
      help: `Published events still to be read for a refill of the stream or a replay, counted up to ${MAX_COUNTED}.`,
    },
    (remaining) => remaining,
  );
}

async function readRefill(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT least(${MAX_COUNTED}, coalesce(sum(cardinality(event_ids)), 0))::int AS count
       FROM outbox_refill r CROSS JOIN LATERAL (
         SELECT event_ids FROM published_batch WHERE batch_id > r.after_batch_id AND batch_id <= r.last_batch_id
         LIMIT ${MAX_COUNTED}) AS remaining`,
  );
  return rows[0]?.count ?? 0;
}

interface Unpublished {
  readonly count: number;
  readonly ageSeconds: number;
  readonly parked: number;
}

export async function readUnpublished(pool: pg.Pool): Promise<Unpublished> {
  const { rows } = await pool.query<{ count: number; age: number; parked: number }>(
    `SELECT (SELECT count(*) FROM (SELECT FROM outbox WHERE parked_at IS NOT NULL LIMIT ${MAX_COUNTED}) AS p)::int AS parked,
            count(*)::int AS count,
            coalesce(extract(epoch FROM CURRENT_TIMESTAMP - min(created_at))::float8, 0) AS age
     FROM (SELECT created_at FROM outbox WHERE parked_at IS NULL ORDER BY seq LIMIT ${MAX_COUNTED}) AS waiting`,
  );
  const [row] = rows;
  return { count: row?.count ?? 0, ageSeconds: Math.max(0, row?.age ?? 0), parked: row?.parked ?? 0 };
}
