import type { KeyRing } from '@supplier/lib/crypto';
import { columnMap } from '@supplier/lib/postgres';
import type { RequestContext } from '@supplier/lib/request-context';
import type { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import type pg from 'pg';
import type { NewJourneyLink } from '../domain/journey-link.ts';
import type { AllMatchHashes } from '../domain/match-hashes.ts';
import type { SubmissionState } from '../domain/submission.ts';
import { linkColumns } from './journey-link-row.ts';

/** A submission that is to be recorded. */
export interface NewSubmission {
  readonly state: SubmissionState;
  readonly bodyDigest: Uint8Array<ArrayBuffer>;
  readonly sealedFingerprint: Uint8Array<ArrayBuffer>;
  /** The id of the key that the digest and the hashes are under. */
  readonly digestKey: string;
  readonly applicationMinting: ApplicationMinting;
  readonly terms: Uint8Array<ArrayBuffer>;
  readonly sealedEnquiry: Uint8Array<ArrayBuffer>;
  readonly hashes: AllMatchHashes;
  /** The id of the rule that they were made by. */
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
  received_at: ['timestamptz', ({ state }) => state.receivedAt],
  billing_model: ['smallint', ({ state }) => state.billing.model],
  billing_status: ['smallint', ({ state }) => state.billing.status],
  not_billable_reason: ['smallint', ({ state }) => state.billing.notBillableReason],
  changed_at: ['timestamptz', ({ state }) => state.changedAt],
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

/**
 * Records submissions, with their arrival links, in one statement. Answers for each whether it was recorded; it was not
 * when the account already has one with the same reference. Waits for another transaction that is recording the same
 * reference; all insert in the order of references, so that no two groups deadlock.
 */
export async function insertSubmissions(
  sql: pg.Pool | pg.PoolClient,
  keyRing: KeyRing,
  submissions: readonly NewSubmission[],
): Promise<boolean[]> {
  const ordered = [...submissions].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const links = ordered.flatMap(({ arrivalLink }) => (arrivalLink ? [arrivalLink] : []));
  const { rows } = await sql.query<{ id: string }>(
    links.length === 0 ? withoutLinks(ordered) : withLinks(keyRing, ordered, links),
  );
  const inserted = new Set(rows.map(({ id }) => id));
  return submissions.map(({ state }) => inserted.has(state.id));
}

function orderOf({ state }: NewSubmission): string {
  return `${state.accountId}${state.environment}${state.externalReference}`;
}

const INSERT = `INSERT INTO submission (${NEW.names}) SELECT ${NEW.names} FROM ${NEW.given()}
  ON CONFLICT (account_id, environment, external_reference) DO NOTHING RETURNING id`;

function withoutLinks(submissions: readonly NewSubmission[]) {
  return { name: 'insert-submissions', text: INSERT, values: NEW.values(submissions) };
}

function withLinks(
  keyRing: KeyRing,
  submissions: readonly NewSubmission[],
  links: readonly NewJourneyLink[],
) {
  const columns = linkColumns(keyRing);
  return {
    name: 'insert-submissions-with-links',
    text: `WITH inserted AS (${INSERT}), linked AS (
             INSERT INTO journey_link (${columns.names}) SELECT ${columns.names} FROM ${columns.given(1 + NEW.count)}
              WHERE submission_id IN (SELECT id FROM inserted))
           SELECT id FROM inserted`,
    values: [...NEW.values(submissions), ...columns.values(links)],
  };
}
