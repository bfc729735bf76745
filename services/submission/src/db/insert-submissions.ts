import { groupCommit } from '@supplier/lib/group-commit';
import type { OutboxEvent } from '@supplier/lib/outbox';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type pg from 'pg';
import type { SubmissionState } from '../domain/submission.ts';

/** A submission that is to be recorded, with the event that tells of it. */
export interface NewSubmission {
  readonly state: SubmissionState;
  readonly bodyDigest: Uint8Array;
  readonly terms: Uint8Array;
  readonly sealedEnquiry: Uint8Array;
  readonly companyHash: Uint8Array | null;
  readonly telephoneHash: Uint8Array | null;
  readonly emailHash: Uint8Array | null;
  readonly event: OutboxEvent;
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
  ['terms', 'bytea', ({ terms }) => terms],
  ['enquiry', 'bytea', ({ sealedEnquiry }) => sealedEnquiry],
  ['company_hash', 'bytea', ({ companyHash }) => companyHash],
  ['telephone_hash', 'bytea', ({ telephoneHash }) => telephoneHash],
  ['email_hash', 'bytea', ({ emailHash }) => emailHash],
  ['event_id', 'uuid', ({ event }) => event.eventId],
  ['event_type', 'text', ({ event }) => event.type],
  ['event_envelope', 'bytea', ({ event }) => event.envelope],
];

const NAMES = COLUMNS.map(([name]) => name);
const OWN = NAMES.filter((name) => !name.startsWith('event_')).join(', ');
const GIVEN = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

const INSERT = `
  WITH given AS (SELECT * FROM unnest(${GIVEN}) AS g(${NAMES.join(', ')})),
  inserted AS (
    INSERT INTO submission (${OWN}) SELECT ${OWN} FROM given
    ON CONFLICT (account_id, environment, external_reference) DO NOTHING RETURNING id),
  announced AS (
    INSERT INTO outbox (event_id, aggregate_id, type, envelope)
    SELECT event_id, id, event_type, event_envelope FROM given WHERE id IN (SELECT id FROM inserted))
  SELECT id FROM inserted`;
