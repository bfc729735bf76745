import type { EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { PoolClient } from 'pg';

/** The event of a restatement. */
export interface Restatement {
  readonly eventId: EventId;
  readonly occurredAt: Date;
}

/** The restatement of a locked submission that was made under a key, if there was one. */
export async function findRestatement(
  tx: PoolClient,
  submissionId: SubmissionId,
  key: string,
): Promise<Restatement | undefined> {
  const { rows } = await tx.query<{ event_id: EventId; occurred_at: string }>({
    name: 'find-restatement',
    text: `SELECT after->>'eventId' AS event_id, after->>'occurredAt' AS occurred_at FROM audit_entry
            WHERE target = $1::text AND action = 'RestateSubmission' AND after->>'idempotencyKey' = $2
            LIMIT 1`,
    values: [submissionId, key],
  });
  return rows.map((row) => ({ eventId: row.event_id, occurredAt: new Date(row.occurred_at) }))[0];
}
