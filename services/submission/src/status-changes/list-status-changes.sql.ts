// SQL, because a page is a range of a partitioned table.
import { fromBinary } from '@bufbuild/protobuf';
import type { SqlSession } from '@supplier/lib/data/postgres';
import { type AccountId, type EventId, firstIdAt, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import type { Environment } from '@supplier/proto/common/v1/status';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import type { PoolClient } from 'pg';

/** A recorded SubmissionStatusChanged, without its state. */
export interface RecordedChange {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly occurredAt: Date;
  /** Whether it waits in the outbox; false once the stream has refused it, because it then waits for staff. */
  readonly unpublished: boolean;
}

export interface Page {
  /** Inclusive; `until` is exclusive. */
  readonly since: Date;
  readonly until: Date;
  readonly after: EventId | undefined;
  readonly limit: number;
}

/**
 * Lists the status changes recorded in a time range, in the order of their ids, which is the order of time. Each page
 * is a range of the index on ids, so its cost does not depend on the number of stored events.
 */
export async function listStatusChanges(
  pool: SqlSession,
  { since, until, after, limit }: Page,
): Promise<RecordedChange[]> {
  const from = after ?? firstIdAt<EventId>(since.getTime());
  const beyond = firstIdAt(until.getTime());
  const type = SubmissionStatusChangedSchema.typeName;
  const { rows } = await pool.query<{ event_id: string; envelope: Uint8Array; unpublished: boolean }>(
    `SELECT e.*, o.event_id IS NOT NULL AS unpublished
       FROM (SELECT event_id, envelope FROM domain_event
              WHERE event_id > $1 AND event_id < $2 AND type = $3
              ORDER BY event_id LIMIT $4) e
       LEFT JOIN outbox o ON o.event_id = e.event_id AND o.parked_at IS NULL
      ORDER BY e.event_id`,
    [from, beyond, type, limit],
  );
  return rows.map(({ event_id, envelope, unpublished }) => {
    const { aggregateId, occurredAt, payload } = fromBinary(EventEnvelopeSchema, envelope);
    const { accountId, submission } = fromBinary(SubmissionStatusChangedSchema, payload);
    if (!occurredAt || !submission)
      throw new Error('invariant violated: a recorded change has no time or no state');
    return {
      eventId: event_id as EventId,
      submissionId: aggregateId as SubmissionId,
      accountId: accountId as AccountId,
      environment: submission.environment,
      occurredAt: toDate(occurredAt),
      unpublished,
    };
  });
}

/** Returns the restatement of a locked submission that was made with a key, if any. */
export async function findRestatement(tx: PoolClient, submissionId: SubmissionId, key: string) {
  const { rows } = await tx.query<{ event_id: EventId; occurred_at: string }>({
    name: 'find-restatement',
    text: `SELECT after->>'eventId' AS event_id, after->>'occurredAt' AS occurred_at FROM audit_entry
            WHERE target = $1::text AND action = 'RestateSubmission' AND after->>'idempotencyKey' = $2
            LIMIT 1`,
    values: [submissionId, key],
  });
  return rows.map((row) => ({ eventId: row.event_id, occurredAt: new Date(row.occurred_at) }))[0];
}
