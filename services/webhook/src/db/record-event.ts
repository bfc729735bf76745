import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/ids';
import type { SqlExecutor } from '@supplier/lib/postgres';
import type { EnvironmentName } from '../domain/environment.ts';
import type { EventChange } from '../domain/event-change.ts';
import { type Circumstances, type Recording, recordingOf } from '../domain/recording.ts';
import { lockForRecording } from './locks.ts';

/** A change of a submission that is to be recorded. */
export interface Change {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly change: EventChange;
  readonly occurredAt: Date;
  readonly recordedAt: Date;
}

/**
 * Records a change inside the caller's transaction and answers with what it was recorded as. `sealBody` is called only
 * when there is a body to keep. A change that wins over earlier ones still waiting for their first attempt marks them
 * superseded; an attempt that is claimed at the same moment wins instead, since both need the row.
 * Implements docs/contract.md, section 7.
 */
export async function recordEvent(
  tx: SqlExecutor,
  change: Change,
  sealBody: () => Uint8Array,
): Promise<Recording> {
  await lockForRecording(tx, change);
  const recording = recordingOf(await circumstancesOf(tx, change));
  await insertEvent(tx, change, recording, recording.state === 'dropped' ? null : sealBody());
  return recording;
}

async function circumstancesOf(tx: SqlExecutor, change: Change): Promise<Circumstances> {
  const [row] = await tx.$queryRawUnsafe<
    { endpointId: string | null; activeThen: boolean | null; laterUnattempted: string | null }[]
  >(
    `WITH "later" AS (
       SELECT "id" FROM "event"
        WHERE "submission_id" = $1::uuid AND "occurred_at" > $2::timestamptz
          AND "state" = 'pending' AND "attempt_count" = 0
        ORDER BY "occurred_at" DESC LIMIT 1
          FOR UPDATE
     ), "here" AS (
       SELECT "p"."id", EXISTS (
                SELECT FROM "endpoint_activity" "a"
                 WHERE "a"."endpoint_id" = "p"."id" AND "a"."active_from" <= $2::timestamptz
                   AND ("a"."active_until" IS NULL OR "a"."active_until" > $2::timestamptz)
              ) AS "active"
         FROM "endpoint" "p" WHERE "p"."account_id" = $3::uuid AND "p"."environment" = $4::environment
     )
     SELECT (SELECT "id" FROM "here") AS "endpointId", (SELECT "active" FROM "here") AS "activeThen",
            (SELECT "id" FROM "later") AS "laterUnattempted"`,
    change.submissionId,
    change.occurredAt,
    change.accountId,
    change.environment,
  );
  return {
    endpointId: (row?.endpointId ?? undefined) as EndpointId | undefined,
    activeThen: row?.activeThen ?? false,
    laterUnattempted: (row?.laterUnattempted ?? undefined) as EventId | undefined,
  };
}

/** Inserts the event and, when it is to be delivered, marks earlier ones superseded: one statement, one round trip. */
async function insertEvent(
  tx: SqlExecutor,
  change: Change,
  recording: Recording,
  sealedBody: Uint8Array | null,
): Promise<void> {
  const waits = recording.state === 'pending';
  await tx.$executeRawUnsafe(
    `WITH "superseded" AS (
       UPDATE "event" SET "state" = 'superseded', "superseded_by" = $1::uuid, "next_attempt_at" = NULL,
                          "settled_at" = $8::timestamptz
        WHERE $10::event_state = 'pending' AND "submission_id" = $2::uuid AND "occurred_at" < $7::timestamptz
          AND "state" = 'pending' AND "attempt_count" = 0
     )
     INSERT INTO "event" ("id", "submission_id", "account_id", "environment", "endpoint_id", "change", "occurred_at",
                          "recorded_at", "sealed_body", "state", "superseded_by", "next_attempt_at", "settled_at")
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4::environment, $5::uuid, $6::event_change, $7::timestamptz,
             $8::timestamptz, $9, $10::event_state, $11::uuid, $12::timestamptz, $13::timestamptz)`,
    change.eventId,
    change.submissionId,
    change.accountId,
    change.environment,
    recording.endpointId ?? null,
    change.change,
    change.occurredAt,
    change.recordedAt,
    sealedBody,
    recording.state,
    recording.state === 'superseded' ? recording.supersededBy : null,
    waits ? change.recordedAt : null,
    waits ? null : change.recordedAt,
  );
}
