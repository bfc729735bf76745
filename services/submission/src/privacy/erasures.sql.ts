// SQL, because submissions are claimed and put off by the database's clock.
import type { AuditActor } from '@supplier/lib/governance/audit';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { ErasureReason, ErasureStep } from '@supplier/proto/submission/v1/erasures';
import type pg from 'pg';

/**
 * Everything that an erasure removes, by service, in the words of its certificate. A certificate lists each kind with
 * its count. Implements docs/contract.md, section 10.
 */
export const ERASED_KINDS = {
  submission: {
    enquiry: 'the enquiry as received',
    working_contact: 'the contact as last corrected',
    contact_correction: 'each correction of the contact',
    other_contact: 'contact details of corrections and promotions, used for matching',
    application_snapshot: 'the enquiry as it was when the Application was created',
    match_hash:
      'digests of company number, telephone and email, used to find duplicates, and the submission that they matched',
    body_digest: 'the digest of the request body that created the submission',
    operation_digest: 'digests of the bodies of corrections and promotions',
    journey_link: 'tokens of journey links',
    request_id: 'the id of the request that created the submission',
    decision_reason: 'the free-text reason for the decision',
    close_reason: 'the free-text reason for closing',
  },
  document: {
    document: 'documents in any state, with their names and bytes',
    upload_reference: 'the right to upload documents for the reference',
  },
  webhook: {
    event_body: 'webhook bodies that contained a journey link',
    attempt_answer: "receivers' responses",
  },
} as const;

export type ErasedPlace = keyof typeof ERASED_KINDS;
export type ErasedKind<Place extends ErasedPlace> = keyof (typeof ERASED_KINDS)[Place];

/** Returns the description of a kind; empty for one that a later version has removed. */
export function wordsFor(place: string, kind: string): string {
  const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = ERASED_KINDS;
  return kinds[place]?.[kind] ?? '';
}

type Sql = Pick<pg.Pool, 'query'>;

/** How long an attempt owns a submission. After this, its process counts as dead. */
const LEASE_S = 20;

export interface NewErasure {
  readonly id: string;
  readonly requestedAt: Date;
  readonly requestedBy: AuditActor;
  readonly reason: ErasureReason;
  readonly purpose: string;
  readonly requestId: string;
}

/** Records an erasure of locked submissions, none of which is part of an incomplete erasure. */
export async function insertErasure(
  tx: Sql,
  { id, requestedAt, requestedBy: { actor, issuer, roles }, reason, purpose, requestId }: NewErasure,
  submissionIds: readonly SubmissionId[],
): Promise<void> {
  await tx.query({
    name: 'insert-erasure',
    text: `WITH made AS (
             INSERT INTO erasure (id, requested_at, requested_by, requested_by_issuer, requested_by_roles, reason, purpose,
                                  request_id)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id)
           INSERT INTO erasure_submission (erasure_id, submission_id)
           SELECT made.id, u.id FROM made CROSS JOIN unnest($9::uuid[]) AS u(id)`,
    values: [id, requestedAt, actor, issuer, roles, reason, purpose, requestId, submissionIds],
  });
}

/** How many items of one kind a service has removed. */
export interface Removed {
  readonly place: ErasedPlace;
  readonly kind: string;
  readonly count: number;
  /** ISO 8601. */
  readonly at: string;
}

/** A submission whose erasure this process continues until its lease ends. */
export interface ClaimedErasure {
  readonly erasure_id: string;
  readonly submission_id: SubmissionId;
  readonly step: ErasureStep;
  readonly claims: number;
  readonly failures: number;
  readonly request_id: string;
  /** The requester and the purpose. */
  readonly requested_by: string;
  readonly requested_by_issuer: string;
  readonly requested_by_roles: readonly string[];
  readonly purpose: string;
  readonly account_id: AccountId;
  readonly environment: Environment.SANDBOX | Environment.PRODUCTION;
  readonly external_reference: string;
}

/** Claims up to `max` submissions that are due for erasure, longest due first. Each process claims different ones. */
export async function claimErasures(pool: Sql, max: number): Promise<ClaimedErasure[]> {
  const { rows } = await pool.query<ClaimedErasure>({
    name: 'claim-erasures',
    text: `WITH due AS (
             SELECT erasure_id, submission_id FROM erasure_submission
              WHERE completed_at IS NULL AND due_at <= clock_timestamp()
              ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
           UPDATE erasure_submission e
              SET claims = e.claims + 1, due_at = clock_timestamp() + interval '${LEASE_S} s'
             FROM due JOIN erasure r ON r.id = due.erasure_id JOIN submission w ON w.id = due.submission_id
            WHERE e.erasure_id = due.erasure_id AND e.submission_id = due.submission_id
           RETURNING e.erasure_id, e.submission_id, e.step, e.claims, e.failures, r.request_id,
                     r.requested_by, r.requested_by_issuer, r.requested_by_roles, r.purpose, w.account_id, w.environment,
                     w.external_reference`,
    values: [max],
  });
  return rows;
}

type Claim = Pick<ClaimedErasure, 'erasure_id' | 'submission_id' | 'claims'>;

/**
 * Records the items removed by a step and the next step; there is none with `completedAt`. Throws if the lease has
 * ended and another process has taken over, which repeats the step.
 */
export async function saveStep(
  sql: Sql,
  { erasure_id, submission_id, claims }: Claim,
  {
    next,
    removed,
    completedAt,
  }: { next: ErasureStep; removed: readonly Removed[]; completedAt: Date | null },
): Promise<void> {
  const { rowCount } = await sql.query({
    name: 'save-erasure-step',
    text: `UPDATE erasure_submission
              SET step = $4, removed = removed || $5::jsonb, completed_at = $6, failures = 0, waiting_since = NULL,
                  waiting_for = NULL
            WHERE erasure_id = $1 AND submission_id = $2 AND claims = $3`,
    values: [erasure_id, submission_id, claims, next, JSON.stringify(removed), completedAt],
  });
  if (rowCount !== 1)
    throw new Error('another process has taken this erasure over: its lease ended before the step was saved');
}

/** Postpones a submission, and records what it waits for, and since when: a failure continues any earlier wait. */
export async function postpone(
  sql: Sql,
  { erasure_id, submission_id, claims }: Claim,
  wait: { readonly for: string; readonly since: Date; readonly ms: number; readonly failures: number },
): Promise<void> {
  await sql.query({
    name: 'postpone-erasure',
    text: `UPDATE erasure_submission
              SET waiting_since = CASE WHEN waiting_for = $4 OR $7 > failures THEN coalesce(waiting_since, $5) ELSE $5 END,
                  waiting_for = $4, failures = $7, due_at = clock_timestamp() + $6 * interval '1 ms'
            WHERE erasure_id = $1 AND submission_id = $2 AND claims = $3`,
    values: [erasure_id, submission_id, claims, wait.for, wait.since, wait.ms, wait.failures],
  });
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
