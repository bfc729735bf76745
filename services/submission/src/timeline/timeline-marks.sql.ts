// SQL, because Prisma can't read row versions.
import type { SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';

/** Maximum acts of staff in a timeline. */
const MAX_ACTIONS = 200;

/**
 * Returns a mark for each existing submission that differs after every change to the data of its timeline: the versions
 * of its rows, and the number of acts. It may differ when the timeline does not. An expiring link changes no row, so
 * expired links are counted.
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
                            ORDER BY at DESC, sequence DESC LIMIT ${MAX_ACTIONS}) AS e)) AS mark
             FROM submission w WHERE w.id = ANY($1::uuid[])`,
    values: [ids, now],
  });
  return new Map(rows.map(({ id, mark }) => [id, mark]));
}
