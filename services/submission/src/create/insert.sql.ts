// SQL, because submissions are recorded in sets.
import type { KeyRing } from '@supplier/lib/data/crypto';
import { columnMap, columnsOf, enqueue } from '@supplier/lib/data/postgres';
import type { RequestContext } from '@supplier/lib/runtime/request-context';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import type pg from 'pg';
import type { NewJourneyLink } from '../model/journey-link.ts';
import type { LockedSubmission } from '../model/locked-submission.ts';
import type { AllMatchHashes } from '../model/match-hashes.ts';
import type { SubmissionState } from '../model/submission.ts';
import {
  CHANGES,
  effectsAfter,
  effectsOf,
  insertLinks,
  saveAccepted,
  saveLinks,
} from '../store/save-submissions.sql.ts';

export interface NewSubmission {
  /** Its times are those of the request until it is recorded. */
  readonly state: SubmissionState;
  readonly bodyDigest: Uint8Array<ArrayBuffer>;
  readonly sealedFingerprint: Uint8Array<ArrayBuffer>;
  /** The id of the key for the digest and the hashes. */
  readonly digestKey: string;
  readonly applicationMinting: ApplicationMinting;
  readonly terms: Uint8Array<ArrayBuffer>;
  readonly sealedEnquiry: Uint8Array<ArrayBuffer>;
  readonly hashes: AllMatchHashes;
  /** The id of the match rule that the hashes were made with. */
  readonly matchRule: string;
  /** The contact checks for staff, as stored bits. */
  readonly contactChecks: number;
  readonly context: RequestContext | undefined;
  /** Recorded with the submission, so that a response never lacks its link. */
  readonly arrivalLink: NewJourneyLink | null;
}

/** Returns the submissions whose reference the account has already used. */
export async function findTaken(
  tx: pg.PoolClient,
  submissions: readonly NewSubmission[],
): Promise<ReadonlySet<SubmissionId>> {
  const states = submissions.map(({ state }) => state);
  const { rows } = await tx.query<{ id: SubmissionId }>({
    name: 'find-taken-references',
    text: `SELECT g.id FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::text[])
                         AS g(id, account_id, environment, external_reference)
            WHERE EXISTS (SELECT FROM submission w WHERE w.account_id = g.account_id
                             AND w.environment = g.environment AND w.external_reference = g.external_reference)`,
    values: [
      states.map(({ id }) => id),
      states.map(({ accountId }) => accountId),
      states.map(({ environment }) => environment),
      states.map(({ externalReference }) => externalReference),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

/** A received submission, decided or not, with the rest of its stored data. */
export interface ReceivedSubmission {
  readonly incoming: NewSubmission;
  readonly submission: LockedSubmission;
}

const ROW = columnMap<ReceivedSubmission>({
  account_id: ['uuid', ({ submission }) => submission.state.accountId],
  environment: ['smallint', ({ submission }) => submission.state.environment],
  external_reference: ['text', ({ submission }) => submission.state.externalReference],
  level: ['smallint', ({ submission }) => submission.state.level],
  received_at: ['timestamptz', ({ submission }) => submission.state.receivedAt],
  billing_model: ['smallint', ({ submission }) => submission.state.billing.model],
  body_digest: ['bytea', ({ incoming }) => incoming.bodyDigest],
  body_fingerprint: ['bytea', ({ incoming }) => incoming.sealedFingerprint],
  body_digest_key: ['text', ({ incoming }) => incoming.digestKey],
  application_minting: ['smallint', ({ incoming }) => incoming.applicationMinting],
  terms: ['bytea', ({ incoming }) => incoming.terms],
  enquiry: ['bytea', ({ incoming }) => incoming.sealedEnquiry],
  company_hash: ['bytea', ({ incoming }) => incoming.hashes.companyHash],
  telephone_hash: ['bytea', ({ incoming }) => incoming.hashes.telephoneHash],
  email_hash: ['bytea', ({ incoming }) => incoming.hashes.emailHash],
  match_digest_key: ['text', ({ incoming }) => incoming.digestKey],
  match_rule: ['text', ({ incoming }) => incoming.matchRule],
  contact_checks: ['smallint', ({ incoming }) => incoming.contactChecks],
  request_id: ['text', ({ incoming }) => incoming.context?.requestId],
  trace_parent: ['text', ({ incoming }) => incoming.context?.traceParent || null],
  ...columnsOf(CHANGES, ({ submission }: ReceivedSubmission) => submission),
});

const INSERT = `
  WITH inserted AS (INSERT INTO submission (${ROW.names}) SELECT ${ROW.names} FROM ${ROW.given()})
  ${effectsAfter(ROW.count)}`;

/**
 * Records submissions received by this transaction, with their links, Applications and events, writing each row once. All
 * transactions insert in the order of references, which prevents deadlocks. Fails with 23505 if another transaction has
 * recorded one of the references since the lookup.
 */
export function insertSubmissions(
  tx: pg.PoolClient,
  keyRing: KeyRing,
  received: readonly ReceivedSubmission[],
): void {
  if (received.length === 0) return;
  const ordered = [...received].sort((a, b) => (sequenceOf(a) < sequenceOf(b) ? -1 : 1));
  const submissions = ordered.map(({ submission }) => submission);
  saveAccepted(tx, submissions);
  enqueue(tx, {
    name: 'insert-submissions',
    text: INSERT,
    values: [...ROW.values(ordered), ...effectsOf(keyRing, submissions).values],
  });
  const arrivals = ordered.flatMap(({ incoming: { arrivalLink } }) => (arrivalLink ? [arrivalLink] : []));
  insertLinks(tx, keyRing, arrivals);
  saveLinks(tx, keyRing, submissions);
}

function sequenceOf({ submission: { state } }: ReceivedSubmission): string {
  return `${state.accountId}${state.environment}${state.externalReference}`;
}
