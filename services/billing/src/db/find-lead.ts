import type { AccountId, EventId, LedgerEntryId, SubmissionId } from '@supplier/lib/ids';
import type pg from 'pg';
import type { EnteredLine, Lead } from '../domain/lead.ts';
import { monthOf } from '../domain/month.ts';
import type { Database } from './database.ts';
import { LEAD, type LeadRow, leadOf } from './lead-row.ts';

/** A lead with its ledger lines, oldest first; undefined while there is none. */
export async function findLead(
  db: Database,
  submissionId: SubmissionId,
): Promise<{ lead: Lead; entries: EnteredLine[] } | undefined> {
  const row = await db.lead.findUnique({
    where: { submissionId },
    // A credit follows its charge; the times of two transactions need not show that.
    include: { entries: { orderBy: { kind: 'asc' } } },
  });
  if (!row) return undefined;
  const { entries, accountId, ...state } = row;
  const unpriced = entries.filter(({ pence }) => pence === null).map(({ id }) => id);
  const late =
    unpriced.length === 0 ? [] : await db.linePrice.findMany({ where: { entryId: { in: unpriced } } });
  return {
    lead: { ...state, submissionId, accountId: accountId as AccountId },
    entries: entries.map(({ id, kind, occurredAt, eventId, pence, statementMonth }) => ({
      id: id as LedgerEntryId,
      kind,
      occurredAt,
      eventId: eventId as EventId,
      pence: pence ?? late.find(({ entryId }) => entryId === id)?.pence ?? null,
      statementMonth: monthOf(statementMonth ?? occurredAt),
    })),
  };
}

/** The leads of those submissions that billing has one for, in no particular order. */
export async function findLeads(pool: pg.Pool, submissionIds: readonly SubmissionId[]): Promise<Lead[]> {
  const { rows } = await pool.query<LeadRow>({
    name: 'find-leads',
    text: `SELECT ${LEAD.names} FROM lead WHERE submission_id = ANY($1::uuid[])`,
    values: [submissionIds],
  });
  return rows.map(leadOf);
}
