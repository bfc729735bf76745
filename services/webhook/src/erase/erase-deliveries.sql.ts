// SQL, because a page of events is locked, resealed and ended as a set.
import { enqueue, inTransaction } from '@supplier/lib/data/postgres';
import type { EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool, PoolClient } from 'pg';
import type { StartedAttempt } from '../model/attempt.ts';
import { NOW } from '../store/database.ts';
import { lockSubmission } from '../store/locks.sql.ts';

/** An attempt in progress, and the time by the database's clock. */
export interface AttemptUnderWay extends StartedAttempt {
  readonly now: Date;
}

/** Returns the attempts in progress for deliveries of a submission, including a lost worker's. */
export async function findAttemptsUnderWay(
  pool: Pool,
  submissionId: SubmissionId,
): Promise<AttemptUnderWay[]> {
  const { rows } = await pool.query<AttemptUnderWay>({
    name: 'find-attempts-under-way',
    text: `SELECT id AS "eventId", endpoint_id AS "endpointId", attempt_count AS number, ${NOW} AS now,
                  attempt_started_at AS "startedAt", attempt_key_fingerprint AS "keyFingerprint"
             FROM event WHERE submission_id = $1 AND lease_until IS NOT NULL`,
    values: [submissionId],
  });
  return rows;
}

/** Opens a body and seals it without its link; undefined for a body without a link. */
export type SealWithoutLink = (eventId: EventId, sealedBody: Uint8Array) => Uint8Array | undefined;

/** The numbers of erased items, and when they were erased. */
export interface ErasedDeliveries {
  readonly events: number;
  readonly attempts: number;
}

/** Events examined by one transaction. */
const PAGE = 200;

/**
 * Erases the personal data in deliveries of the submission, in pages of 200 events, and resolves to the numbers erased.
 * From the first page, no new body gets a link and no response is kept. A body that was not sent yet loses its link and
 * is still delivered. A body that was sent is never sent again in another form: its event ends as expired, and the
 * caller must notify the supplier in another way. Resolves to false, leaving the rest unchanged, when an attempt is in
 * progress.
 */
export async function eraseDeliveriesOf(
  pool: Pool,
  submissionId: SubmissionId,
  sealWithoutLink: SealWithoutLink,
  record: (tx: PoolClient, erased: ErasedDeliveries) => Promise<void>,
): Promise<boolean> {
  let after: EventId | undefined;
  do {
    const page = await inTransaction(pool, (tx) =>
      erasePage(tx, submissionId, after, sealWithoutLink, record),
    );
    if (page === 'under_way') return false;
    after = page;
  } while (after !== undefined);
  return true;
}

interface Row {
  id: string;
  sealed_body: Buffer | null;
  under_way: boolean;
}

/** Resolves to the last event of the page; undefined when no more follow. */
async function erasePage(
  tx: PoolClient,
  submissionId: SubmissionId,
  after: EventId | undefined,
  sealWithoutLink: SealWithoutLink,
  record: (tx: PoolClient, erased: ErasedDeliveries) => Promise<void>,
): Promise<EventId | undefined | 'under_way'> {
  lockSubmission(tx, submissionId);
  enqueue(tx, {
    text: `INSERT INTO erased_submission (submission_id, erased_at) VALUES ($1, ${NOW}) ON CONFLICT DO NOTHING`,
    values: [submissionId],
  });
  const { rows } = await tx.query<Row>({
    text: `SELECT id, lease_until IS NOT NULL AS under_way,
                  CASE WHEN body_erased_at IS NULL AND octet_length(sealed_body) > 0 THEN sealed_body END AS sealed_body
             FROM event WHERE submission_id = $1 AND ($2::uuid IS NULL OR id > $2)
            ORDER BY id LIMIT ${PAGE} FOR UPDATE`,
    values: [submissionId, after ?? null],
  });
  if (rows.some(({ under_way }) => under_way)) return 'under_way';
  const bodies = rows.flatMap(({ id, sealed_body }) => {
    const sealed = sealed_body && sealWithoutLink(id as EventId, sealed_body);
    return sealed ? [{ id, sealed }] : [];
  });
  const erased = await tx.query({
    text: `UPDATE event e
              SET body_erased_at = ${NOW},
                  sealed_body = CASE WHEN e.state = 'pending' AND e.attempt_count = 0 THEN b.sealed ELSE '' END,
                  state = CASE WHEN e.state = 'pending' AND e.attempt_count > 0 THEN 'expired' ELSE e.state END,
                  next_attempt_at = CASE WHEN e.attempt_count = 0 THEN e.next_attempt_at END,
                  settled_at = CASE WHEN e.state = 'pending' AND e.attempt_count > 0
                                      THEN ${NOW} ELSE e.settled_at END
             FROM unnest($1::uuid[], $2::bytea[]) AS b(id, sealed) WHERE e.id = b.id`,
    values: [bodies.map(({ id }) => id), bodies.map(({ sealed }) => sealed)],
  });
  // The response to an abandoned attempt may still arrive.
  const attempts = await tx.query({
    text: `UPDATE attempt SET sealed_answer_head = NULL, answer_erased_at = ${NOW}
            WHERE event_id = ANY($1::uuid[]) AND answer_erased_at IS NULL
              AND (sealed_answer_head IS NOT NULL OR error_class = 'interrupted')`,
    values: [rows.map(({ id }) => id)],
  });
  await record(tx, { events: erased.rowCount ?? 0, attempts: attempts.rowCount ?? 0 });
  return rows.length === PAGE ? (rows.at(-1)?.id as EventId | undefined) : undefined;
}
