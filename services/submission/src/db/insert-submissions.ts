import { groupCommit } from '@supplier/lib/group-commit';
import type { OutboxEvent } from '@supplier/lib/outbox';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import type pg from 'pg';
import type { SubmissionState } from '../domain/submission.ts';
import type { NewJourneyLink } from './journey-link-row.ts';

/** A submission that is to be recorded, with the event that tells of it. */
export interface NewSubmission {
  readonly state: SubmissionState;
  readonly bodyDigest: Uint8Array<ArrayBuffer>;
  readonly applicationMinting: ApplicationMinting;
  readonly terms: Uint8Array<ArrayBuffer>;
  readonly sealedEnquiry: Uint8Array<ArrayBuffer>;
  readonly companyHash: Uint8Array<ArrayBuffer> | null;
  readonly telephoneHash: Uint8Array<ArrayBuffer> | null;
  readonly emailHash: Uint8Array<ArrayBuffer> | null;
  readonly event: OutboxEvent;
  /** Recorded with it, so that no answer is given without its link. */
  readonly arrivalLink: NewJourneyLink | null;
}

/** Records a submission and its event; resolves to false when the account already has one with the same reference. */
export type InsertSubmission = (submission: NewSubmission) => Promise<boolean>;

const MAX_GROUP = 64;
const MAX_QUEUE = 2_000;
/** Two groups at once: while one waits for its commit, the next is being sent. */
const LANES = 2;

/**
 * Makes the insert of the hottest path: one round trip and one commit, shared by all creates that arrive while an
 * earlier group commits. A create that finds 2,000 waiting is refused as unavailable.
 */
export function insertSubmissions(pool: pg.Pool): InsertSubmission {
  return groupCommit({
    maxGroup: MAX_GROUP,
    maxQueue: MAX_QUEUE,
    lanes: LANES,
    flush: (group: NewSubmission[]) => insertGroup(pool, group),
    overloaded: () => refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.'),
  });
}

async function insertGroup(pool: pg.Pool, group: NewSubmission[]): Promise<boolean[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'insert-submissions',
    text: INSERT,
    values: COLUMNS.map(([, , read]) => group.map(read)),
  });
  const inserted = new Set(rows.map(({ id }) => id));
  return group.map(({ state }) => inserted.has(state.id));
}

/** The columns of a new row, and those of its outbox row. */
const COLUMNS: readonly [name: string, type: string, read: (submission: NewSubmission) => unknown][] = [
  ['id', 'uuid', ({ state }) => state.id],
  ['account_id', 'uuid', ({ state }) => state.accountId],
  ['environment', 'smallint', ({ state }) => state.environment],
  ['external_reference', 'text', ({ state }) => state.externalReference],
  ['level', 'smallint', ({ state }) => state.level],
  ['status', 'smallint', ({ state }) => state.status],
  ['awaits_staff', 'boolean', ({ state }) => state.awaitsStaff],
  ['received_at', 'timestamptz', ({ state }) => state.receivedAt],
  ['billing_model', 'smallint', ({ state }) => state.billing.model],
  ['billing_status', 'smallint', ({ state }) => state.billing.status],
  ['not_billable_reason', 'smallint', ({ state }) => state.billing.notBillableReason],
  ['changed_at', 'timestamptz', ({ state }) => state.changedAt],
  ['version', 'bigint', ({ state }) => state.version],
  ['body_digest', 'bytea', ({ bodyDigest }) => bodyDigest],
  ['application_minting', 'smallint', ({ applicationMinting }) => applicationMinting],
  ['terms', 'bytea', ({ terms }) => terms],
  ['enquiry', 'bytea', ({ sealedEnquiry }) => sealedEnquiry],
  ['company_hash', 'bytea', ({ companyHash }) => companyHash],
  ['telephone_hash', 'bytea', ({ telephoneHash }) => telephoneHash],
  ['email_hash', 'bytea', ({ emailHash }) => emailHash],
  ['event_id', 'uuid', ({ event }) => event.eventId],
  ['event_type', 'text', ({ event }) => event.type],
  ['event_envelope', 'bytea', ({ event }) => event.envelope],
  ['link_id', 'uuid', ({ arrivalLink }) => arrivalLink?.row.id],
  ['link_kind', 'smallint', ({ arrivalLink }) => arrivalLink?.row.kind],
  ['link_number', 'integer', ({ arrivalLink }) => arrivalLink?.row.number],
  ['link_token_digest', 'bytea', ({ arrivalLink }) => arrivalLink?.row.tokenDigest],
  ['link_token', 'bytea', ({ arrivalLink }) => arrivalLink?.row.token],
  ['link_created_at', 'timestamptz', ({ arrivalLink }) => arrivalLink?.row.createdAt],
  ['link_expires_at', 'timestamptz', ({ arrivalLink }) => arrivalLink?.row.expiresAt],
];

const NAMES = COLUMNS.map(([name]) => name);
const OWN = NAMES.filter((name) => !/^(event|link)_/.test(name)).join(', ');
const GIVEN = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

const INSERT = `
  WITH given AS (SELECT * FROM unnest(${GIVEN}) AS g(${NAMES.join(', ')})),
  inserted AS (
    INSERT INTO submission (${OWN}) SELECT ${OWN} FROM given
    ON CONFLICT (account_id, environment, external_reference) DO NOTHING RETURNING id),
  announced AS (
    INSERT INTO outbox (event_id, aggregate_id, type, envelope)
    SELECT event_id, id, event_type, event_envelope FROM given WHERE id IN (SELECT id FROM inserted)),
  linked AS (
    INSERT INTO journey_link (id, submission_id, kind, number, token_digest, token, created_at, expires_at)
    SELECT link_id, id, link_kind, link_number, link_token_digest, link_token, link_created_at, link_expires_at
    FROM given WHERE link_id IS NOT NULL AND id IN (SELECT id FROM inserted))
  SELECT id FROM inserted`;
