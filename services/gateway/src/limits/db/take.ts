import { KEPT_SLICES, SLICES } from '../sliding-window.ts';
import type { LimitsPool } from './prepare-table.ts';

/** How many requests of one key want to pass. */
export interface Asked {
  readonly key: string;
  readonly wanted: number;
  readonly most: number;
  /** Milliseconds. */
  readonly sliceMs: number;
}

export interface Granted {
  readonly granted: number;
  /** How many count now, these included. */
  readonly used: number;
  /** The store's time of it. */
  readonly nowMs: number;
  /** What counts, and the store's time of that, where nothing more would pass now. */
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
 * Each key's row is read, moved on to the slice of now and raised by what still fits, under the row's lock, so that no
 * two gateways grant the same place. Keys are locked in one order everywhere: no deadlock. Where another gateway was
 * quicker into a new slice, its slice stands. The store's clock is the only one, unless a test brings its own.
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

/** Takes places for all keys, each named once, in one statement. Answers in the order asked. */
export async function take(
  pool: LimitsPool,
  asked: readonly Asked[],
  nowMs: number | null = null,
): Promise<Granted[]> {
  const { rows } = await pool.query<Row>({
    ...TAKE,
    values: [
      asked.map(({ key }) => key),
      asked.map(({ wanted }) => wanted),
      asked.map(({ most }) => most),
      asked.map(({ sliceMs }) => sliceMs),
      nowMs,
    ],
  });
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return asked.map(({ key }) => {
    const row = byKey.get(key);
    if (!row) throw new Error('the store answered for other keys');
    const { granted, used, counts, newest, now_ms: nowMs } = row;
    return { granted, used, nowMs, full: counts ? { counts, newest: Number(newest), nowMs } : undefined };
  });
}
