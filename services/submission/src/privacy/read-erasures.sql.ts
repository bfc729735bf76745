import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { ErasureReason, ErasureStep } from '@supplier/proto/submission/v1/erasures';
import type pg from 'pg';
import type { Removed } from './erasures.sql.ts';

type Sql = Pick<pg.Pool, 'query'>;

export interface ErasureRow {
  readonly id: string;
  readonly requested_at: Date;
  readonly requested_by: string;
  readonly reason: ErasureReason;
  readonly purpose: string;
}

/** The progress of one submission of an erasure. */
export interface ErasureProgressRow {
  readonly submission_id: SubmissionId;
  readonly account_id: AccountId;
  readonly environment: Environment;
  readonly external_reference: string;
  readonly step: ErasureStep;
  readonly removed: readonly Removed[];
  readonly completed_at: Date | null;
  readonly waiting_since: Date | null;
  readonly waiting_for: string | null;
}

/** Returns an erasure with its submissions, in the order of their ids. */
export async function readErasure(
  sql: Sql,
  id: string,
): Promise<{ erasure: ErasureRow; submissions: ErasureProgressRow[] } | undefined> {
  const { rows } = await sql.query<ErasureRow>({
    name: 'read-erasure',
    text: 'SELECT id, requested_at, requested_by, reason, purpose FROM erasure WHERE id = $1',
    values: [id],
  });
  const [erasure] = rows;
  if (!erasure) return undefined;
  const progress = await sql.query<ErasureProgressRow>({
    name: 'read-erasure-progress',
    text: `SELECT e.submission_id, w.account_id, w.environment, w.external_reference, e.step, e.removed, e.completed_at,
                  e.waiting_since, e.waiting_for
             FROM erasure_submission e JOIN submission w ON w.id = e.submission_id
            WHERE e.erasure_id = $1 ORDER BY e.submission_id`,
    values: [id],
  });
  return { erasure, submissions: progress.rows };
}

export interface ListedErasureRow extends ErasureRow {
  readonly submissions: number;
  readonly completed: number;
  readonly completed_at: Date | null;
  readonly submission_ids: string[];
}

/** Filters of erasures. An undefined filter matches everything. */
export interface ErasureFilter {
  readonly since: Date | undefined;
  readonly inProgress: boolean;
  readonly reason: ErasureReason | undefined;
}

/** Lists matching erasures, newest first, at most `limit` of those after `after`. */
export async function listErasures(
  sql: Sql,
  { since, inProgress, reason }: ErasureFilter,
  after: string | undefined,
  limit: number,
): Promise<{ rows: ListedErasureRow[]; next: string | undefined }> {
  const { rows } = await sql.query<ListedErasureRow>({
    name: 'list-erasures',
    text: `SELECT r.id, r.requested_at, r.requested_by, r.reason, r.purpose, p.submissions, p.completed,
                  CASE WHEN p.completed = p.submissions THEN p.completed_at END AS completed_at, p.submission_ids
             FROM erasure r
            CROSS JOIN LATERAL (
              SELECT count(*)::int AS submissions, count(e.completed_at)::int AS completed, max(e.completed_at) AS completed_at,
                     array_agg(e.submission_id::text ORDER BY e.submission_id) AS submission_ids
                FROM erasure_submission e WHERE e.erasure_id = r.id) AS p
            WHERE ($1::uuid IS NULL OR r.id < $1) AND ($2::timestamptz IS NULL OR r.requested_at >= $2)
              AND ($3::smallint IS NULL OR r.reason = $3)
              AND (NOT $4 OR r.id IN (SELECT e.erasure_id FROM erasure_submission e WHERE e.completed_at IS NULL))
            ORDER BY r.id DESC LIMIT $5`,
    values: [after ?? null, since ?? null, reason ?? null, inProgress, limit + 1],
  });
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? page.at(-1)?.id : undefined };
}

/** Submissions whose erasure is not complete. */
export interface ErasureBacklog {
  /** Whether they wait for the release of a legal hold, which only staff can do. */
  readonly held: boolean;
  /** Counted up to 10,000 for both kinds. */
  readonly count: number;
  /** Age of the oldest erasure request; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** Counts the unfinished erasures of both kinds, as of `now`. */
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
