import type { SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';

/** Acts of staff that a timeline shows. */
const MAX_ACTS = 200;

/**
 * What differs after each change of what a timeline is made of, by submission, without those that do not exist: the
 * versions of its rows, and how many acts there are. It may differ where the timeline does not. A link that expires
 * changes no row.
 */
export async function readTimelineMarks(
  pool: Pick<pg.Pool, 'query'>,
  ids: readonly SubmissionId[],
  now: Date,
): Promise<Map<SubmissionId, string>> {
  const { rows } = await pool.query<{ id: SubmissionId; mark: string }>({
    name: 'timeline-marks',
    text: `SELECT w.id, concat_ws('.', w.xmin,
                  (SELECT concat(a.xmin) FROM application a WHERE a.submission_id = w.id),
                  (SELECT concat(sum(c.xmin::text::bigint)) FROM contact_correction c WHERE c.submission_id = w.id),
                  (SELECT concat(count(*), '-', sum(l.xmin::text::bigint), '-', count(*) FILTER (WHERE l.expires_at <= $2))
                     FROM journey_link l WHERE l.submission_id = w.id),
                  (SELECT concat(count(*), '-', sum(e.sequence))
                     FROM (SELECT sequence FROM audit_entry WHERE target = w.id::text
                            ORDER BY at DESC, sequence DESC LIMIT ${MAX_ACTS}) AS e)) AS mark
             FROM submission w WHERE w.id = ANY($1::uuid[])`,
    values: [ids, now],
  });
  return new Map(rows.map(({ id, mark }) => [id, mark]));
}
