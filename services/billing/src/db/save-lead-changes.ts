import type { OutboxEvent } from '@supplier/lib/outbox';
import type pg from 'pg';
import type { LeadChanges, NewLedgerEntry } from '../domain/apply-lead-events.ts';
import { type Column, given, namesOf, valuesOf } from './columns.ts';
import { LEAD_COLUMNS, LEAD_NAMES, LEAD_STATE } from './lead-row.ts';

/** Saves the new states of leads that `upsertLeads` has locked, their ledger lines and their events, in one statement. */
export async function saveLeadChanges(
  tx: pg.PoolClient,
  { leads, entries }: LeadChanges,
  events: readonly OutboxEvent[],
): Promise<void> {
  await tx.query({
    name: 'save-lead-changes',
    text: SAVE,
    values: [
      ...valuesOf(LEAD_COLUMNS, leads),
      ...valuesOf(ENTRY_COLUMNS, entries),
      ...valuesOf(OUTBOX_COLUMNS, events),
    ],
  });
}

const ENTRY_COLUMNS: readonly Column<NewLedgerEntry>[] = [
  ['id', 'uuid', ({ id }) => id],
  ['submission_id', 'uuid', ({ lead }) => lead.submissionId],
  ['account_id', 'uuid', ({ lead }) => lead.accountId],
  ['kind', 'entry_kind', ({ kind }) => kind],
  ['billing_model', 'billing_model', ({ lead }) => lead.billingModel],
  ['occurred_at', 'timestamptz', ({ occurredAt }) => occurredAt],
  ['event_id', 'uuid', ({ eventId }) => eventId],
];

const OUTBOX_COLUMNS: readonly Column<OutboxEvent>[] = [
  ['event_id', 'uuid', ({ eventId }) => eventId],
  ['aggregate_id', 'uuid', ({ aggregateId }) => aggregateId],
  ['type', 'text', ({ type }) => type],
  ['subject', 'text', ({ subject }) => subject],
  ['envelope', 'bytea', ({ envelope }) => envelope],
];

const ENTRIES_FROM = LEAD_COLUMNS.length + 1;
const OUTBOX_FROM = ENTRIES_FROM + ENTRY_COLUMNS.length;
const NEW_STATE = LEAD_STATE.map(([name]) => `${name} = EXCLUDED.${name}`).join(', ');

// The leads exist: an upsert goes through the primary key whatever the planner believes about the size of the table,
// which a prepared UPDATE … FROM, planned while the table was small, would read as a whole.
const SAVE = `
  WITH saved AS (
    INSERT INTO lead (${LEAD_NAMES}) SELECT ${LEAD_NAMES} FROM ${given(LEAD_COLUMNS)}
    ON CONFLICT (submission_id) DO UPDATE SET ${NEW_STATE}),
  entered AS (
    INSERT INTO ledger_entry (${namesOf(ENTRY_COLUMNS)})
    SELECT ${namesOf(ENTRY_COLUMNS)} FROM ${given(ENTRY_COLUMNS, ENTRIES_FROM)})
  INSERT INTO outbox (${namesOf(OUTBOX_COLUMNS)})
  SELECT ${namesOf(OUTBOX_COLUMNS)} FROM ${given(OUTBOX_COLUMNS, OUTBOX_FROM)}`;
