import type { openPool } from '@supplier/lib/data/postgres';

/** Number of slices in which a window is counted. */
export const SLICES = 60;
/** The slices of a whole window plus the current one: everything counted in them still counts. */
export const KEPT_SLICES = SLICES + 1;

export type LimitsPool = Pick<ReturnType<typeof openPool>, 'query'>;

/**
 * Unlogged: counts matter for a minute only, and a server crash just empties the table. Half-filled pages leave space
 * for a row's next version. The lock keeps gateways that start together from creating the table twice.
 */
const TABLE = `
  SELECT pg_advisory_xact_lock(7361001);
  CREATE UNLOGGED TABLE IF NOT EXISTS limit_window (
    key        text COLLATE "C" NOT NULL,
    newest     bigint           NOT NULL,
    counts     integer[]        NOT NULL,
    used       integer          NOT NULL,
    granted    integer          NOT NULL,
    most       integer          NOT NULL,
    expires_at timestamptz      NOT NULL,
    CONSTRAINT limit_window_pkey PRIMARY KEY (key)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX IF NOT EXISTS limit_window_expires_at_idx ON limit_window (expires_at);`;

/**
 * Creates the limiter's table if it is missing. A role without the permission relies on the gateway's migrate command.
 * Rejects when the store is unavailable.
 */
export async function prepareTable(pool: LimitsPool): Promise<void> {
  const { rows } = await pool.query(`SELECT to_regclass('limit_window') IS NOT NULL AS there`);
  if (!rows[0]?.there) await pool.query(TABLE);
}

/** The number of requests of one key that ask to pass. */
export interface TakeRequest {
  readonly key: string;
  readonly wanted: number;
  readonly max: number;
  readonly sliceMs: number;
}

export interface TakeResult {
  readonly granted: number;
  /** Number of requests that count now, including these. */
  readonly used: number;
  readonly slice: number;
  /** The store's time when it counted them. */
  readonly nowMs: number;
  /** The counts and the store's time, when nothing more would pass now. */
  readonly full:
    | { readonly counts: readonly number[]; readonly newest: number; readonly nowMs: number }
    | undefined;
}

interface Row {
  readonly key: string;
  readonly granted: number;
  readonly used: number;
  readonly counts: number[] | null;
  readonly newest: string;
  readonly now_ms: number;
}

/**
 * Reads each key's row, advances it to the current slice and adds what still fits, under the row's lock, so that two
 * gateways never grant the same place. All gateways lock keys in the same order, which prevents deadlocks. If another
 * gateway has already started a newer slice, that slice is kept. Only the store's clock counts, unless a test provides
 * its own.
 */
const TAKE = {
  name: 'limits-take',
  text: `
  WITH moment AS MATERIALIZED (
    SELECT coalesce($5::float8, extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms
  )
  INSERT INTO limit_window AS w (key, newest, counts, used, granted, most, expires_at)
  SELECT a.key, floor(m.now_ms / a.slice_ms), array_fill(0, ARRAY[${SLICES}]) || least(a.wanted, a.most),
         least(a.wanted, a.most), least(a.wanted, a.most), a.most,
         to_timestamp((m.now_ms + a.slice_ms * ${KEPT_SLICES}) / 1000)
    FROM unnest($1::text[], $2::integer[], $3::integer[], $4::float8[]) AS a(key, wanted, most, slice_ms), moment AS m
   ORDER BY a.key COLLATE "C"
  ON CONFLICT (key) DO UPDATE SET (newest, counts, used, granted, most, expires_at) = (
    SELECT greatest(w.newest, excluded.newest),
           CASE WHEN s.steps = 0 AND g.given = 0 THEN w.counts
                ELSE k.kept[1:${SLICES}] || (k.kept[${KEPT_SLICES}] + g.given) END,
           u.used + g.given, g.given, excluded.most, greatest(w.expires_at, excluded.expires_at)
      FROM (SELECT least(greatest(excluded.newest - w.newest, 0), ${KEPT_SLICES})::integer AS steps) AS s,
   LATERAL (SELECT CASE WHEN s.steps = 0 THEN w.counts
                        ELSE w.counts[s.steps + 1:${KEPT_SLICES}] || array_fill(0, ARRAY[s.steps]) END AS kept) AS k,
   LATERAL (SELECT w.used - coalesce((SELECT sum(c) FROM unnest(w.counts[1:s.steps]) AS c), 0)::integer AS used) AS u,
   LATERAL (SELECT least(excluded.granted, greatest(excluded.most - u.used, 0)) AS given) AS g
  )
  RETURNING key, granted, used, CASE WHEN used >= most THEN counts END AS counts, newest,
            (SELECT now_ms FROM moment) AS now_ms`,
};

/** Takes places for all keys, each named once, in one statement. Returns results in the order of the requests. */
export async function take(
  pool: LimitsPool,
  requests: readonly TakeRequest[],
  nowMs: number | null = null,
): Promise<TakeResult[]> {
  const { rows } = await pool.query<Row>({
    ...TAKE,
    values: [
      requests.map(({ key }) => key),
      requests.map(({ wanted }) => wanted),
      requests.map(({ max }) => max),
      requests.map(({ sliceMs }) => sliceMs),
      nowMs,
    ],
  });
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return requests.map(({ key }) => {
    const row = byKey.get(key);
    if (!row) throw new Error('invariant violated: no row for a key in the response of the limits store');
    const { granted, used, counts, newest, now_ms: nowMs } = row;
    const slice = Number(newest);
    return { granted, used, slice, nowMs, full: counts ? { counts, newest: slice, nowMs } : undefined };
  });
}

/** Places of one key that were counted in a slice but not used. */
export interface UnusedPlaces {
  readonly key: string;
  readonly slice: number;
  readonly places: number;
}

/** Uncounts unused places, unless their slice has left the window. */
export async function returnPlaces(pool: LimitsPool, { key, slice, places }: UnusedPlaces): Promise<void> {
  await pool.query({
    name: 'limits-give-back',
    text: `
  UPDATE limit_window AS w
     SET counts = w.counts[1:i.place - 1] || (w.counts[i.place] - $3) || w.counts[i.place + 1:${KEPT_SLICES}],
         used = w.used - $3
    FROM (SELECT (${KEPT_SLICES} - (newest - $2::bigint))::integer AS place FROM limit_window WHERE key = $1 FOR UPDATE) AS i
   WHERE w.key = $1 AND i.place BETWEEN 1 AND ${KEPT_SLICES} AND w.counts[i.place] >= $3`,
    values: [key, slice, places],
  });
}

const CHUNK = 1_000;
const MAX_CHUNKS = 100;

/**
 * Deletes rows in which nothing counts any more, in chunks of 1,000 and at most 100,000. Returns the number of deleted
 * rows.
 */
export async function deleteExpired(pool: LimitsPool): Promise<number> {
  let deleted = 0;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const { rowCount } = await pool.query(
      `DELETE FROM limit_window WHERE key IN (
         SELECT key FROM limit_window WHERE expires_at < clock_timestamp()
          ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [CHUNK],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < CHUNK) break;
  }
  return deleted;
}
