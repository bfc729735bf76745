// SQL, because submissions are locked in sets.
import { enqueue } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import type { UndecidedSubmission } from '../model/decide-all.ts';
import { type LockedSubmission, NOTHING_UNSAVED } from '../model/locked-submission.ts';
import { type AllMatchHashes, enquiryHashes, type Matching } from '../model/match-hashes.ts';
import {
  identifyingEnquiry,
  openEnquiry,
  STATE_COLUMNS,
  type StateRow,
  stateOf,
  termsOf,
} from './submission-row.ts';
import type { Tenant } from './submissions.sql.ts';

/** A submission with the data needed to change it. */
export interface SubmissionRow extends StateRow {
  readonly request_id: string | null;
  readonly trace_parent: string | null;
  readonly application_minting: number;
  readonly revision: number;
  readonly enquiry: Buffer | null;
  readonly contact: Buffer | null;
  readonly company_hash: Buffer<ArrayBuffer> | null;
  readonly telephone_hash: Buffer<ArrayBuffer> | null;
  readonly email_hash: Buffer<ArrayBuffer> | null;
  readonly match_rule: string;
  readonly contact_checks: number;
  /** The sealed contact of the correction that brought one. */
  readonly identifying: Buffer | null;
  /** Of the Application; null if there is none. */
  readonly pre_underwriting: PreUnderwritingState | null;
  readonly pre_underwriting_at: Date | null;
  readonly pre_underwriting_policy: string | null;
  readonly pre_underwriting_reasons: string[] | null;
  readonly snapshot: Buffer | null;
}

/** The columns of a SubmissionRow without an Application, which an undecided submission cannot have. */
export const UNDECIDED_COLUMNS = `${STATE_COLUMNS}, w.request_id, w.trace_parent, w.application_minting, w.revision,
  w.enquiry, w.contact, w.company_hash, w.telephone_hash, w.email_hash, w.match_rule, w.contact_checks,
  w.identifying, NULL::smallint AS pre_underwriting`;

/** The columns of a SubmissionRow; the Application's table has the alias `a`. */
export const SUBMISSION_COLUMNS = `${STATE_COLUMNS}, w.request_id, w.trace_parent, w.application_minting, w.revision, w.enquiry,
  w.contact, w.company_hash, w.telephone_hash, w.email_hash, w.match_rule, w.contact_checks, w.identifying,
  a.pre_underwriting, a.pre_underwriting_at,
  a.pre_underwriting_policy, a.pre_underwriting_reasons, a.snapshot`;

const THOSE = `w.id = ANY($1::uuid[]) AND ($2::uuid IS NULL OR w.account_id = $2)
  AND ($3::int IS NULL OR w.environment = $3)`;

/**
 * Locks submissions until the end of the transaction, in the order of their ids, waiting for transactions that hold
 * one, and then reads them with their Applications. Unknown ids and those of other tenants are left out.
 */
export async function lockSubmissions(
  tx: pg.PoolClient,
  ids: readonly SubmissionId[],
  tenant?: Tenant,
): Promise<SubmissionRow[]> {
  const values = [ids, tenant?.accountId ?? null, tenant?.environment ?? null];
  // A separate statement, because a statement that has waited for a lock sees the current locked row but the earlier
  // versions of joined rows.
  enqueue(tx, {
    name: 'lock-submissions',
    text: `SELECT FROM submission w WHERE ${THOSE} ORDER BY w.id FOR NO KEY UPDATE`,
    values,
  });
  const { rows } = await tx.query<SubmissionRow>({
    name: 'load-submissions',
    text: `SELECT ${SUBMISSION_COLUMNS} FROM submission w LEFT JOIN application a ON a.submission_id = w.id
            WHERE ${THOSE} ORDER BY w.id`,
    values,
  });
  return rows;
}

export async function lockSubmission(
  tx: pg.PoolClient,
  id: SubmissionId,
  tenant?: Tenant,
): Promise<SubmissionRow | undefined> {
  const [row] = await lockSubmissions(tx, [id], tenant);
  return row;
}

/** Converts a locked row to the input of transitions. */
export function submissionOf(row: SubmissionRow): LockedSubmission {
  return {
    state: stateOf(row),
    preUnderwriting:
      row.pre_underwriting === null
        ? null
        : {
            state: row.pre_underwriting,
            at: row.pre_underwriting_at,
            policyVersion: row.pre_underwriting_policy,
            reasons: row.pre_underwriting_reasons ?? [],
          },
    terms: termsOf(row.terms),
    context:
      row.request_id === null
        ? undefined
        : { requestId: row.request_id, traceParent: row.trace_parent ?? '' },
    unsaved: NOTHING_UNSAVED,
  };
}

/** Converts a locked, undecided row, with its enquiry opened. Throws if that cannot be opened. */
export function undecidedSubmissionOf(matching: Matching, row: SubmissionRow): UndecidedSubmission {
  const enquiry = openEnquiry(matching.keyRing, row);
  return {
    ...submissionOf(row),
    enquiry,
    contactChecks: row.contact_checks,
    matchable: {
      id: row.id,
      accountId: row.account_id,
      environment: row.environment,
      receivedAt: row.received_at,
      ...hashesOf(matching, row, enquiry),
    },
  };
}

/**
 * Returns the stored hashes, except during a key rotation or if the row was stored with another rule: then they may use
 * a key other than the primary, or come from values that are no longer match keys.
 */
function hashesOf(matching: Matching, row: SubmissionRow, enquiry: Enquiry): AllMatchHashes {
  if (!matching.keyRing.hasOneDigestKey || row.match_rule !== matching.matchRule.id)
    return enquiryHashes(matching, row.environment, identifyingEnquiry(matching.keyRing, row, enquiry));
  return {
    companyHash: row.company_hash,
    telephoneHash: row.telephone_hash,
    emailHash: row.email_hash,
    hashesUnderOtherKeys: [],
  };
}
