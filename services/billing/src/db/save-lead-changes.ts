import { OUTBOX, type OutboxEvent } from '@supplier/lib/outbox';
import { columnMap, enqueue } from '@supplier/lib/postgres';
import type pg from 'pg';
import type { LeadChanges, NewLedgerEntry } from '../domain/apply-lead-events.ts';
import { LEAD, LEAD_IDENTITY } from './lead-row.ts';

/** Saves the new states of leads that `upsertLeads` has locked, their ledger lines and their events, in one statement. */
export function saveLeadChanges(
  tx: pg.PoolClient,
  { leads, entries }: LeadChanges,
  events: readonly OutboxEvent[],
): void {
  enqueue(tx, {
    name: 'save-lead-changes',
    text: SAVE,
    values: [...LEAD.values(leads), ...ENTRY.values(entries), ...OUTBOX.values(events)],
  });
}

const ENTRY = columnMap<NewLedgerEntry>({
  id: ['uuid', ({ id }) => id],
  submission_id: ['uuid', ({ lead }) => lead.submissionId],
  account_id: ['uuid', ({ lead }) => lead.accountId],
  kind: ['entry_kind', ({ kind }) => kind],
  billing_model: ['billing_model', ({ lead }) => lead.billingModel],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt],
  event_id: ['uuid', ({ eventId }) => eventId],
});

// The leads exist: an upsert goes through the primary key whatever the planner believes about the size of the table,
// which a prepared UPDATE … FROM, planned while the table was small, would read as a whole.
const SAVE = `
  WITH saved AS (
    INSERT INTO lead (${LEAD.names}) SELECT ${LEAD.names} FROM ${LEAD.given()}
    ON CONFLICT (submission_id) DO UPDATE SET ${LEAD.upserts(...LEAD_IDENTITY)}),
  entered AS (
    INSERT INTO ledger_entry (${ENTRY.names}) SELECT ${ENTRY.names} FROM ${ENTRY.given(1 + LEAD.count)})
  INSERT INTO outbox (${OUTBOX.names}) SELECT ${OUTBOX.names} FROM ${OUTBOX.given(1 + LEAD.count + ENTRY.count)}`;
