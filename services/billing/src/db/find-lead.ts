import type { AccountId, EventId, LedgerEntryId, SubmissionId } from '@supplier/lib/ids';
import type { Lead, LedgerEntry } from '../domain/lead.ts';
import type { Database } from './database.ts';

/** A lead with its ledger lines, oldest first; undefined while billing has not heard of it. */
export async function findLead(
  db: Database,
  submissionId: SubmissionId,
): Promise<{ lead: Lead; entries: LedgerEntry[] } | undefined> {
  const row = await db.lead.findUnique({
    where: { submissionId },
    include: { entries: { orderBy: [{ enteredAt: 'asc' }, { id: 'asc' }] } },
  });
  if (!row) return undefined;
  const { entries, accountId, ...state } = row;
  return {
    lead: { ...state, submissionId, accountId: accountId as AccountId },
    entries: entries.map(({ id, kind, occurredAt, eventId }) => ({
      id: id as LedgerEntryId,
      kind,
      occurredAt,
      eventId: eventId as EventId,
    })),
  };
}
