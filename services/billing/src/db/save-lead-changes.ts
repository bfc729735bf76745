import { OUTBOX, type OutboxEvent } from '@supplier/lib/outbox';
import { columnMap, enqueue } from '@supplier/lib/postgres';
import type pg from 'pg';
import type { LeadChanges, NewLedgerEntry } from '../domain/apply-lead-events.ts';
import { LEAD, LEAD_IDENTITY } from './lead-row.ts';
import { shareLedgers } from './ledger-lock.ts';
import { penceAt } from './prices.ts';
import { openMonthAt } from './statement-columns.ts';

/**
 * Saves the new states of leads that `upsertLeads` has locked, their ledger lines and their events, in one statement. A line
 * is on the statement of the month in which it occurred, or of the first later one that is open, and has the price that
 * held at its time: their ledgers are shared first, so that neither changes under way. With `restated`, a line that is there
 * already stays as it is: it may have outlived its lead, which was lost.
 */
export function saveLeadChanges(
  tx: pg.PoolClient,
  { leads, entries }: LeadChanges,
  events: readonly OutboxEvent[],
  restated = false,
): void {
  if (entries.length > 0)
    shareLedgers(
      tx,
      entries.map(({ lead }) => lead.accountId),
    );
  enqueue(tx, {
    name: restated ? 'save-restated-leads' : 'save-lead-changes',
    text: restated ? SAVE_RESTATED : SAVE,
    values: [...LEAD.values(leads), ...GIVEN.values(entries), ...OUTBOX.values(events)],
  });
}

const COLUMNS: Parameters<typeof columnMap<NewLedgerEntry>>[0] = {
  id: ['uuid', ({ id }) => id],
  submission_id: ['uuid', ({ lead }) => lead.submissionId],
  account_id: ['uuid', ({ lead }) => lead.accountId],
  kind: ['entry_kind', ({ kind }) => kind],
  billing_model: ['billing_model', ({ lead }) => lead.billingModel],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt],
  event_id: ['uuid', ({ eventId }) => eventId],
};
const ENTRY = columnMap(COLUMNS);
const GIVEN = columnMap<NewLedgerEntry>({
  ...COLUMNS,
  priced_at: ['timestamptz', ({ pricedAt }) => pricedAt],
});

// The leads exist: an upsert goes through the primary key whatever the planner believes about the size of the table,
// which a prepared UPDATE … FROM, planned while the table was small, would read as a whole.
const saving = (lines: string) => `
  WITH saved AS (
    INSERT INTO lead (${LEAD.names}) SELECT ${LEAD.names} FROM ${LEAD.given()}
    ON CONFLICT (submission_id) DO UPDATE SET ${LEAD.upserts(...LEAD_IDENTITY)}),
  entered AS (
    INSERT INTO ledger_entry (${ENTRY.names}, statement_month, pence)
    SELECT ${ENTRY.names}, ${openMonthAt('g.account_id', 'g.occurred_at')},
           ${penceAt('g.account_id', 'g.billing_model', 'g.priced_at')}
      FROM ${GIVEN.given(1 + LEAD.count)}
    ${lines})
  INSERT INTO outbox (${OUTBOX.names}) SELECT ${OUTBOX.names} FROM ${OUTBOX.given(1 + LEAD.count + GIVEN.count)}`;

const SAVE = saving('');
/** Apart, since looking for a line before entering it makes entering dearer, and few leads are ever restated. */
const SAVE_RESTATED = saving('ON CONFLICT (submission_id, kind) DO NOTHING');
