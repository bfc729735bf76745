import { columnMap, enqueue } from '@supplier/lib/data/postgres';
import type pg from 'pg';
import type { NewLine } from '../model/ledger.ts';
import { penceAt } from '../prices/prices.sql.ts';
import { shareLedgers } from './ledger-lock.ts';
import { openMonthAt } from './statement-columns.ts';

/**
 * Posts the lines that the ledger lacks, in one statement, and changes nothing for those it has. A line is on the statement of
 * the month in which it occurred, or of the first later one that is open. A credit has the price of its charge, and is
 * not posted without one. The ledgers are shared first, so that no month is closed and no price set meanwhile. Lines go
 * in by submission, charge first: transactions that post the same lines wait for each other and never deadlock.
 */
export function postLines(tx: pg.PoolClient, lines: readonly NewLine[]): void {
  if (lines.length === 0) return;
  shareLedgers(
    tx,
    lines.map(({ accountId }) => accountId),
  );
  enqueue(tx, { name: 'post-lines', text: POST, values: GIVEN.values(lines) });
}

const COLUMNS: Parameters<typeof columnMap<NewLine>>[0] = {
  id: ['uuid', ({ id }) => id],
  submission_id: ['uuid', ({ submissionId }) => submissionId],
  account_id: ['uuid', ({ accountId }) => accountId],
  kind: ['entry_kind', ({ kind }) => kind],
  billing_model: ['billing_model', ({ billingModel }) => billingModel],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt],
  event_id: ['uuid', ({ eventId }) => eventId],
};
const LINE = columnMap(COLUMNS);
const GIVEN = columnMap<NewLine>({ ...COLUMNS, charged_at: ['timestamptz', ({ chargedAt }) => chargedAt] });

// The charge is looked up row by row: the planner of a prepared join could choose to read the whole ledger.
const POST = `
  WITH given AS (
    SELECT ${LINE.names}, COALESCE(
             CASE kind WHEN 'credit' THEN
               (SELECT e.occurred_at FROM ledger_entry e WHERE e.submission_id = g.submission_id AND e.kind = 'charge')
             END, charged_at) AS charged_at
      FROM ${GIVEN.given()})
  INSERT INTO ledger_entry (${LINE.names}, statement_month, pence)
  SELECT ${LINE.names}, ${openMonthAt('g.account_id', 'g.occurred_at')},
         ${penceAt('g.account_id', 'g.billing_model', 'g.charged_at')}
    FROM given g WHERE charged_at IS NOT NULL ORDER BY submission_id, kind
  ON CONFLICT (submission_id, kind) DO NOTHING`;
