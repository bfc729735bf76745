import type { EventId, SubmissionId } from '@supplier/lib/ids';
import type { EventState } from '../domain/event-state.ts';
import type { OnRecord, ToldChange } from '../domain/reconciliation.ts';
import type { Database } from './database.ts';

/** Longer than any chain of changes that land before a first attempt. */
const LONGEST_CHAIN = 200;

interface Row {
  id: string;
  submission_id: string;
  occurred_at: Date;
  state: EventState;
  next_attempt_at: Date | null;
  lease_until: Date | null;
  active_then: boolean;
  takes_events: boolean | null;
  end_submission_id: string | null;
  end_occurred_at: Date | null;
  end_state: EventState | null;
}

/**
 * What is on record for changes, by their ids; what is not, is not among them. Chains of superseded events are followed
 * for 200 steps.
 */
export async function findOnRecord(
  db: Database,
  changes: readonly ToldChange[],
): Promise<ReadonlyMap<EventId, OnRecord>> {
  const rows = await db.$queryRawUnsafe<Row[]>(
    `WITH RECURSIVE "change" AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::environment[], $4::timestamptz[])
         AS "c"("id", "account_id", "environment", "occurred_at")
     ), "chain" AS (
       SELECT "e"."id" AS "first", "e"."superseded_by" AS "next", 1 AS "step",
              "e"."submission_id", "e"."occurred_at", "e"."state"
         FROM "change" "c" JOIN "event" "e" ON "e"."id" = "c"."id" AND "e"."superseded_by" IS NOT NULL
        UNION ALL
       SELECT "h"."first", "e"."superseded_by", "h"."step" + 1, "e"."submission_id", "e"."occurred_at", "e"."state"
         FROM "chain" "h" JOIN "event" "e" ON "e"."id" = "h"."next"
        WHERE "h"."step" < ${LONGEST_CHAIN}
     ), "ending" AS (
       SELECT DISTINCT ON ("first") * FROM "chain" WHERE "step" > 1 ORDER BY "first", "step" DESC
     )
     SELECT "e"."id", "e"."submission_id", "e"."occurred_at", "e"."state"::text, "e"."next_attempt_at",
            "e"."lease_until", "p"."enabled" AND "l"."failing_since" IS NULL AS "takes_events",
            EXISTS (SELECT FROM "endpoint_activity" "a"
                     WHERE "a"."endpoint_id" = "p"."id" AND "a"."active_from" <= "c"."occurred_at"
                       AND ("a"."active_until" IS NULL OR "a"."active_until" > "c"."occurred_at")) AS "active_then",
            "n"."submission_id" AS "end_submission_id", "n"."occurred_at" AS "end_occurred_at",
            "n"."state"::text AS "end_state"
       FROM "change" "c"
       JOIN "event" "e" ON "e"."id" = "c"."id"
       LEFT JOIN "endpoint" "p" ON "p"."account_id" = "c"."account_id" AND "p"."environment" = "c"."environment"
       LEFT JOIN "endpoint_health" "l" ON "l"."endpoint_id" = "p"."id"
       LEFT JOIN "ending" "n" ON "n"."first" = "e"."id"`,
    changes.map((change) => change.eventId),
    changes.map((change) => change.accountId),
    changes.map((change) => change.environment),
    changes.map((change) => change.occurredAt),
  );
  return new Map(rows.map((row) => [row.id as EventId, onRecord(row)]));
}

function onRecord(row: Row): OnRecord {
  return {
    submissionId: row.submission_id as SubmissionId,
    occurredAt: row.occurred_at,
    state: row.state,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    leaseUntil: row.lease_until ?? undefined,
    activeThen: row.active_then,
    endpointTakesEvents: row.takes_events ?? false,
    successor:
      row.end_submission_id && row.end_occurred_at && row.end_state
        ? {
            submissionId: row.end_submission_id as SubmissionId,
            occurredAt: row.end_occurred_at,
            state: row.end_state,
          }
        : undefined,
  };
}
