import type { KeyRing } from '@supplier/lib/crypto';
import type { SubmissionId } from '@supplier/lib/ids';
import { columnMap } from '@supplier/lib/postgres';
import type { RequestContext } from '@supplier/lib/request-context';
import type { Clock } from '@supplier/lib/time';
import type { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import type pg from 'pg';
import type { NewJourneyLink } from '../domain/journey-link.ts';
import type { AllMatchHashes } from '../domain/match-hashes.ts';
import type { SubmissionState } from '../domain/submission.ts';
import { linkColumns } from './journey-link-row.ts';
import { lockKeysOf } from './match-key-locks.ts';

/** A submission to record. */
export interface NewSubmission {
  /** Its times are those of the request until it is recorded. */
  readonly state: SubmissionState;
  readonly bodyDigest: Uint8Array<ArrayBuffer>;
  readonly sealedFingerprint: Uint8Array<ArrayBuffer>;
  /** The id of the key that the digest and the hashes are under. */
  readonly digestKey: string;
  readonly applicationMinting: ApplicationMinting;
  readonly terms: Uint8Array<ArrayBuffer>;
  readonly sealedEnquiry: Uint8Array<ArrayBuffer>;
  readonly hashes: AllMatchHashes;
  /** The id of the rule by which they were made. */
  readonly matchRule: string;
  readonly context: RequestContext | undefined;
  /** Recorded with it, so that no answer is given without its link. */
  readonly arrivalLink: NewJourneyLink | null;
}

const NEW = columnMap<NewSubmission>({
  id: ['uuid', ({ state }) => state.id],
  account_id: ['uuid', ({ state }) => state.accountId],
  environment: ['smallint', ({ state }) => state.environment],
  external_reference: ['text', ({ state }) => state.externalReference],
  level: ['smallint', ({ state }) => state.level],
  status: ['smallint', ({ state }) => state.status],
  awaits_staff: ['boolean', ({ state }) => state.awaitsStaff],
  billing_model: ['smallint', ({ state }) => state.billing.model],
  billing_status: ['smallint', ({ state }) => state.billing.status],
  not_billable_reason: ['smallint', ({ state }) => state.billing.notBillableReason],
  version: ['bigint', ({ state }) => state.version],
  body_digest: ['bytea', ({ bodyDigest }) => bodyDigest],
  body_fingerprint: ['bytea', ({ sealedFingerprint }) => sealedFingerprint],
  body_digest_key: ['text', ({ digestKey }) => digestKey],
  application_minting: ['smallint', ({ applicationMinting }) => applicationMinting],
  terms: ['bytea', ({ terms }) => terms],
  enquiry: ['bytea', ({ sealedEnquiry }) => sealedEnquiry],
  company_hash: ['bytea', ({ hashes }) => hashes.companyHash],
  telephone_hash: ['bytea', ({ hashes }) => hashes.telephoneHash],
  email_hash: ['bytea', ({ hashes }) => hashes.emailHash],
  match_digest_key: ['text', ({ digestKey }) => digestKey],
  match_rule: ['text', ({ matchRule }) => matchRule],
  request_id: ['text', ({ context }) => context?.requestId],
  trace_parent: ['text', ({ context }) => context?.traceParent || null],
});

/** What recording needs besides the submissions. */
export interface Receipt {
  readonly keyRing: KeyRing;
  /** The longest wait for each lock, in milliseconds. */
  readonly lockWaitMs: number;
  /** Gives the time of receipt instead of the database's clock. */
  readonly receiptClock?: Clock | undefined;
}

/**
 * Records submissions, with their arrival links, in one statement. Returns for each when it was received, or undefined
 * if it was not recorded because the account already has one with the same reference. Waits for transactions that are
 * recording or deciding other submissions of the same customers, and only then reads the database's clock and records:
 * so each submission has seen those that were received before it. The locks of the match keys are held to the end of
 * the transaction. Also waits for a transaction that is recording the same reference; all insert in the order of
 * references, so that no two groups deadlock. No wait for a lock, here or later in the transaction, is longer than
 * `lockWaitMs`: then it fails with 55P03, and nothing is recorded. Implements docs/contract.md, section 5.
 */
export async function insertSubmissions(
  sql: pg.Pool | pg.PoolClient,
  { keyRing, lockWaitMs, receiptClock }: Receipt,
  submissions: readonly NewSubmission[],
): Promise<(Date | undefined)[]> {
  const ordered = [...submissions].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const links = ordered.flatMap(({ arrivalLink }) => (arrivalLink ? [arrivalLink] : []));
  const receipt = [lockKeysOf(ordered.map(holderOf)), receiptClock?.now() ?? null, `${lockWaitMs}ms`];
  const { rows } = await sql.query<{ id: SubmissionId; received_at: Date }>(
    links.length === 0 ? withoutLinks(ordered, receipt) : withLinks(keyRing, ordered, links, receipt),
  );
  const received = new Map(rows.map((row) => [row.id, row.received_at]));
  return submissions.map(({ state }) => received.get(state.id));
}

const holderOf = ({ state, hashes }: NewSubmission) => ({ ...state, ...hashes });

function orderOf({ state }: NewSubmission): string {
  return `${state.accountId}${state.environment}${state.externalReference}`;
}

/**
 * One time for all: submissions of one group are ordered by their ids, which are in the order of the requests. The
 * bound on waits is set within the statement, to save another one: PostgreSQL reads it when a wait begins.
 */
const RECEIPT = `receipt AS MATERIALIZED (
  SELECT coalesce($2::timestamptz, date_trunc('milliseconds', clock_timestamp())) AS at
    FROM (SELECT set_config('lock_timeout', $3::text, true) AS wait) AS bound,
         LATERAL (SELECT count(*) FILTER (WHERE pg_advisory_xact_lock(k) IS NOT NULL) AS locks
                    FROM unnest($1::bigint[]) AS u(k) WHERE bound.wait IS NOT NULL) AS held
   WHERE held.locks >= 0)`;
const INSERT = `INSERT INTO submission (${NEW.names}, received_at, changed_at)
  SELECT ${NEW.names}, receipt.at, receipt.at FROM receipt CROSS JOIN ${NEW.given(4)}
  ON CONFLICT (account_id, environment, external_reference) DO NOTHING RETURNING id, received_at`;

function withoutLinks(submissions: readonly NewSubmission[], receipt: readonly unknown[]) {
  return {
    name: 'insert-submissions',
    text: `WITH ${RECEIPT} ${INSERT}`,
    values: [...receipt, ...NEW.values(submissions)],
  };
}

function withLinks(
  keyRing: KeyRing,
  submissions: readonly NewSubmission[],
  links: readonly NewJourneyLink[],
  receipt: readonly unknown[],
) {
  const columns = linkColumns(keyRing);
  return {
    name: 'insert-submissions-with-links',
    text: `WITH ${RECEIPT}, inserted AS (${INSERT}), linked AS (
             INSERT INTO journey_link (${columns.names}) SELECT ${columns.names} FROM ${columns.given(4 + NEW.count)}
              WHERE submission_id IN (SELECT id FROM inserted))
           SELECT id, received_at FROM inserted`,
    values: [...receipt, ...NEW.values(submissions), ...columns.values(links)],
  };
}
