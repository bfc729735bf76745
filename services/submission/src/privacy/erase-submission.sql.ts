// SQL, because the statements travel with others of the transaction.
import { enqueue } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import { ERASED_KINDS, type ErasedKind } from './erasures.sql.ts';

export type ErasedCounts = Readonly<Record<OwnKind, number>>;

type OwnKind = ErasedKind<'submission'>;

const OWN_KINDS = Object.keys(ERASED_KINDS.submission) as OwnKind[];

/** Reports whether the work on a submission has failed repeatedly and is parked until staff release it. */
export async function isWorkParked(tx: Pick<pg.PoolClient, 'query'>, id: SubmissionId): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'is-work-parked',
    text: 'SELECT FROM submission WHERE id = $1 AND work_parked_at IS NOT NULL',
    values: [id],
  });
  return rowCount === 1;
}

/**
 * Removes all applicant data of a locked submission in this service: the stated data in every stored form, the digests
 * that could identify the person, the tokens of journey links, and free text by staff and the supplier. Working links
 * end. Status, decision and billing are kept, and parked work on the erased data is dropped. Resolves to the removed
 * counts.
 */
export async function eraseSubmission(tx: pg.PoolClient, id: SubmissionId, now: Date): Promise<ErasedCounts> {
  const { rows } = await tx.query<ErasedCounts>({
    name: 'count-for-erasure',
    text: `SELECT num_nonnulls(w.enquiry) AS enquiry, num_nonnulls(w.contact) AS working_contact,
                  num_nonnulls(w.telephone_hash, w.email_hash, w.company_hash, w.duplicate_of)
                    + coalesce((SELECT num_nonnulls(p.telephone_hash, p.email_hash, p.company_hash) FROM promoted_keys p
                                 WHERE p.submission_id = w.id), 0) AS match_hash,
                  num_nonnulls(w.body_digest) AS body_digest, num_nonnulls(w.request_id) AS request_id,
                  num_nonnulls(w.decision_reason) AS decision_reason,
                  (SELECT count(a.close_reason)::int FROM application a WHERE a.submission_id = w.id) AS close_reason,
                  (SELECT count(a.snapshot)::int FROM application a WHERE a.submission_id = w.id) AS application_snapshot,
                  (SELECT count(c.contact)::int FROM contact_correction c WHERE c.submission_id = w.id) AS contact_correction,
                  (SELECT count(*)::int FROM other_contact o WHERE o.submission_id = w.id) AS other_contact,
                  (SELECT count(k.body_digest)::int FROM operation_key k WHERE k.submission_id = w.id) AS operation_digest,
                  (SELECT count(*)::int FROM journey_link l WHERE l.submission_id = w.id AND octet_length(l.token) > 0)
                    AS journey_link
             FROM submission w WHERE w.id = $1`,
    values: [id],
  });
  for (const statement of statements(id, now)) enqueue(tx, statement);
  const [counts] = rows;
  return Object.fromEntries(OWN_KINDS.map((kind) => [kind, counts?.[kind] ?? 0])) as Record<OwnKind, number>;
}

function statements(id: SubmissionId, now: Date) {
  return [
    {
      name: 'erase-submission',
      text: `UPDATE submission
                SET enquiry = NULL, contact = NULL, identifying = NULL, body_digest = NULL, body_fingerprint = NULL, company_hash = NULL,
                    telephone_hash = NULL, email_hash = NULL, erased_at = coalesce(erased_at, $2),
                    work_attempts = 0, work_failure = NULL, work_parked_at = NULL, request_id = NULL, decision_reason = NULL,
                    duplicate_of = NULL, duplicate_key = NULL, contact_checks = 0
              WHERE id = $1`,
      values: [id, now],
    },
    {
      name: 'erase-snapshot',
      text: 'UPDATE application SET snapshot = NULL, close_reason = NULL WHERE submission_id = $1',
      values: [id],
    },
    {
      name: 'erase-corrections',
      text: 'UPDATE contact_correction SET contact = NULL WHERE submission_id = $1 AND contact IS NOT NULL',
      values: [id],
    },
    {
      name: 'erase-other-contacts',
      text: 'DELETE FROM other_contact WHERE submission_id = $1',
      values: [id],
    },
    {
      name: 'erase-promoted-keys',
      text: 'DELETE FROM promoted_keys WHERE submission_id = $1',
      values: [id],
    },
    {
      name: 'erase-operation-digests',
      text: 'UPDATE operation_key SET body_digest = NULL, body_fingerprint = NULL WHERE submission_id = $1',
      values: [id],
    },
    {
      name: 'erase-links',
      text: `UPDATE journey_link
                SET token = '', token_digest = NULL, code_expires_at = CASE WHEN code_expires_at > $2 THEN $2 ELSE code_expires_at END,
                    ended_at = CASE WHEN used_at IS NULL THEN coalesce(ended_at, $2) END
              WHERE submission_id = $1`,
      values: [id, now],
    },
  ];
}
