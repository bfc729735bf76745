import type { SubmissionId } from '@supplier/lib/ids';
import type { Database } from './database.ts';
import { EVENT_PARTS, type EventRecord, eventFromRow } from './event-rows.ts';

/** The first `limit` events recorded for a submission, oldest change first, dropped ones included. */
export async function listEvents(
  db: Database,
  submissionId: SubmissionId,
  limit: number,
): Promise<EventRecord[]> {
  const rows = await db.event.findMany({
    where: { submissionId },
    orderBy: [{ occurredAt: 'asc' }, { id: 'asc' }],
    take: limit,
    ...EVENT_PARTS,
  });
  return rows.map(eventFromRow);
}
