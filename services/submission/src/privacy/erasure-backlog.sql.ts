import type pg from 'pg';

/** Submissions whose erasure is not complete. */
export interface ErasureBacklog {
  /** Whether they wait for the release of a legal hold: nothing else ends that. */
  readonly held: boolean;
  /** Counted up to 10,000 of both kinds. */
  readonly count: number;
  /** Since the oldest of their erasures was requested; 0 where there is none. */
  readonly oldestSeconds: number;
}

/** How much is left to erase, of both kinds, as of `now`. */
export async function countErasures(sql: Pick<pg.Pool, 'query'>, now: Date): Promise<ErasureBacklog[]> {
  const { rows } = await sql.query<ErasureBacklog>({
    name: 'count-erasures',
    text: `WITH left_over AS (
             SELECT erasure_id, EXISTS (SELECT FROM legal_hold h WHERE h.submission_id = e.submission_id) AS held
               FROM erasure_submission e WHERE e.completed_at IS NULL ORDER BY e.due_at LIMIT 10000)
           SELECT k.held, count(r.id)::int AS count,
                  coalesce(greatest(0, extract(epoch FROM $1::timestamptz - min(r.requested_at))), 0)::float8
                    AS "oldestSeconds"
             FROM (VALUES (false), (true)) AS k(held) LEFT JOIN left_over l USING (held)
             LEFT JOIN erasure r ON r.id = l.erasure_id
            GROUP BY k.held`,
    values: [now],
  });
  return rows;
}
