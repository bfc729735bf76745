import type { AccountId, EventId, LedgerEntryId, SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import type { EntryKind, PostedLine } from '../model/ledger.ts';
import { monthOf } from '../model/month.ts';
import type { ComparedLine } from '../model/reconciliation.ts';
import type { Database } from './database.ts';

/** The ledger lines of a submission, oldest first. */
export async function findLines(db: Database, submissionId: SubmissionId): Promise<PostedLine[]> {
  // A credit follows its charge; the times of two transactions need not show that.
  const entries = await db.ledgerEntry.findMany({ where: { submissionId }, orderBy: { kind: 'asc' } });
  const unpriced = entries.filter(({ pence }) => pence === null).map(({ id }) => id);
  const late =
    unpriced.length === 0 ? [] : await db.linePrice.findMany({ where: { entryId: { in: unpriced } } });
  return entries.map(({ id, kind, occurredAt, eventId, pence, statementMonth }) => ({
    id: id as LedgerEntryId,
    kind,
    occurredAt,
    eventId: eventId as EventId,
    pence: pence ?? late.find(({ entryId }) => entryId === id)?.pence ?? null,
    statementMonth: monthOf(statementMonth ?? occurredAt),
  }));
}

/** The lines of those submissions that have any. */
export async function findLinesOf(
  pool: Pick<pg.Pool, 'query'>,
  submissionIds: readonly SubmissionId[],
): Promise<Map<SubmissionId, ComparedLine[]>> {
  const { rows } = await pool.query<{
    submission_id: SubmissionId;
    account_id: AccountId;
    kind: EntryKind;
    occurred_at: Date;
  }>(
    'SELECT submission_id, account_id, kind, occurred_at FROM ledger_entry WHERE submission_id = ANY($1::uuid[])',
    [submissionIds],
  );
  return Map.groupBy(
    rows.map((row) => ({
      submissionId: row.submission_id,
      accountId: row.account_id,
      kind: row.kind,
      occurredAt: row.occurred_at,
    })),
    ({ submissionId }) => submissionId,
  );
}
