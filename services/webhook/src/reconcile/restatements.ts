import { SUBSCRIPTIONS } from '@supplier/lib/events/event-bus';
import type { EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Database } from '../store/database.ts';

/** Longer than any reconciliation looks back. */
const KEPT_MS = 30 * 86_400_000;

export async function findRestated(
  db: Database,
  submissionIds: readonly SubmissionId[],
  since: Date,
): Promise<ReadonlySet<SubmissionId>> {
  const rows = await db.restatement.findMany({
    where: { submissionId: { in: [...submissionIds] }, restatedAt: { gt: since } },
    select: { submissionId: true },
  });
  return new Set(rows.map((row) => row.submissionId as SubmissionId));
}

export async function noteRestated(db: Database, submissionId: SubmissionId, at: Date): Promise<void> {
  await db.restatement.upsert({
    where: { submissionId },
    create: { submissionId, restatedAt: at },
    update: { restatedAt: at },
  });
}

/** Deletes records of restatements over a month old. */
export async function forgetRestated(db: Database, now: Date): Promise<void> {
  await db.restatement.deleteMany({ where: { restatedAt: { lt: new Date(now.getTime() - KEPT_MS) } } });
}

/** Returns the changes that arrived, could not be recorded yet and are retried automatically. */
export async function findRetried(db: Database, eventIds: readonly EventId[]): Promise<ReadonlySet<EventId>> {
  const { consumer } = SUBSCRIPTIONS.webhook;
  const rows = await db.failedEvent.findMany({
    where: { consumer, eventId: { in: [...eventIds] }, parkedAt: null },
    select: { eventId: true },
  });
  return new Set(rows.map((row) => row.eventId as EventId));
}
