import type { EventId, SubmissionId } from '@supplier/lib/ids';
import type { AttemptError } from '../domain/attempt-error.ts';
import type { Database } from './database.ts';

/** An event with its attempts, as staff see it. */
export interface EventRecord {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly occurredAt: Date;
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'superseded' | 'expired';
  readonly nextAttemptAt: Date | undefined;
  /** In the order of their numbers. */
  readonly attempts: readonly AttemptRecord[];
}

export interface AttemptRecord {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
  readonly statusCode: number | undefined;
  readonly error: AttemptError | undefined;
  readonly keyFingerprint: string;
}

/** The first `limit` events recorded for a submission, oldest change first; what was dropped is not among them. */
export async function listEvents(
  db: Database,
  submissionId: SubmissionId,
  limit: number,
): Promise<EventRecord[]> {
  const rows = await db.event.findMany({
    where: { submissionId, state: { not: 'dropped' } },
    orderBy: [{ occurredAt: 'asc' }, { id: 'asc' }],
    take: limit,
    omit: { sealedBody: true },
    include: { attempts: { orderBy: { number: 'asc' }, omit: { sealedAnswerHead: true } } },
  });
  return rows.flatMap(({ state, ...row }) =>
    state === 'dropped'
      ? []
      : [
          {
            eventId: row.id as EventId,
            submissionId: row.submissionId as SubmissionId,
            occurredAt: row.occurredAt,
            state,
            nextAttemptAt: row.nextAttemptAt ?? undefined,
            attempts: row.attempts.map((attempt) => ({
              number: attempt.number,
              startedAt: attempt.startedAt,
              endedAt: attempt.endedAt ?? undefined,
              statusCode: attempt.statusCode ?? undefined,
              error: attempt.errorClass ?? undefined,
              keyFingerprint: attempt.keyFingerprint,
            })),
          },
        ],
  );
}
