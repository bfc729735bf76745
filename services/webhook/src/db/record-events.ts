import type { EndpointId, EventId } from '@supplier/lib/ids';
import { enqueue } from '@supplier/lib/postgres';
import type { Pool, PoolClient } from 'pg';
import {
  type Change,
  type Circumstances,
  type RecordedChange,
  type Recordings,
  recordAll,
  type WaitingEvent,
} from '../domain/recording.ts';
import { NOW } from './database.ts';
import { lockForRecording } from './locks.ts';

/**
 * Those of the changes that are not recorded yet and will be delivered, as far as can be known without a lock:
 * recording decides again under one.
 */
export async function findWanted(pool: Pool, changes: readonly Change[]): Promise<ReadonlySet<EventId>> {
  const { circumstances } = await readCircumstances(pool, changes);
  const wanted = changes.filter(({ eventId }) => {
    const { known, activeThen } = circumstances.get(eventId) ?? NOTHING_KNOWN;
    return !known && activeThen;
  });
  return new Set(wanted.map(({ eventId }) => eventId));
}

/**
 * Records changes inside the caller's transaction, in their order, in three statements however many there are, and
 * returns how the new ones were recorded. `sealBody` is called for those with a body to keep. An event that is claimed
 * for its first attempt at the same moment is no longer superseded. Implements docs/contract.md, section 7.
 */
export async function recordEvents(
  tx: PoolClient,
  changes: readonly Change[],
  sealBody: (change: Change) => Uint8Array,
): Promise<readonly RecordedChange[]> {
  lockForRecording(tx, changes);
  const { circumstances, waiting } = await readCircumstances(tx, changes);
  const recordings = recordAll(
    changes.map((change) => ({
      change,
      circumstances: circumstances.get(change.eventId) ?? NOTHING_KNOWN,
    })),
    waiting,
  );
  if (recordings.recorded.length > 0) insertEvents(tx, recordings, sealBody);
  return recordings.recorded;
}

const NOTHING_KNOWN: Circumstances = { known: false, endpointId: undefined, activeThen: false };

interface Row {
  id: string;
  known: boolean;
  endpoint_id: string | null;
  active_then: boolean;
  waiting_id: string | null;
  waiting_occurred_at: Date | null;
}

async function readCircumstances(
  db: Pool | PoolClient,
  changes: readonly Change[],
): Promise<{ circumstances: ReadonlyMap<EventId, Circumstances>; waiting: readonly WaitingEvent[] }> {
  const { rows } = await db.query<Row>({
    name: 'read-circumstances',
    text: `SELECT "c"."id", "p"."id" AS "endpoint_id",
                  -- One probe of the index for each: an EXISTS may be answered by reading the whole table once.
                  (SELECT true FROM "event" "e" WHERE "e"."id" = "c"."id") IS NOT NULL AS "known",
                  EXISTS (SELECT FROM "endpoint_activity" "a"
                           WHERE "a"."endpoint_id" = "p"."id" AND "a"."active_from" <= "c"."occurred_at"
                             AND ("a"."active_until" IS NULL OR "a"."active_until" > "c"."occurred_at")) AS "active_then",
                  "w"."id" AS "waiting_id", "w"."occurred_at" AS "waiting_occurred_at"
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::environment[], $5::timestamptz[])
               AS "c"("id", "submission_id", "account_id", "environment", "occurred_at")
             LEFT JOIN "endpoint" "p" ON "p"."account_id" = "c"."account_id" AND "p"."environment" = "c"."environment"
             LEFT JOIN LATERAL (SELECT "id", "occurred_at" FROM "event"
                                 WHERE "submission_id" = "c"."submission_id" AND "state" = 'pending' AND "attempt_count" = 0
                                OFFSET 0) AS "w" ON true`,
    values: [
      changes.map(({ eventId }) => eventId),
      changes.map(({ submissionId }) => submissionId),
      changes.map(({ accountId }) => accountId),
      changes.map(({ environment }) => environment),
      changes.map(({ occurredAt }) => occurredAt),
    ],
  });
  const submissions = new Map(changes.map(({ eventId, submissionId }) => [eventId, submissionId]));
  const circumstances = new Map<EventId, Circumstances>();
  const waiting = new Map<EventId, WaitingEvent>();
  for (const row of rows) {
    const changed = row.id as EventId;
    circumstances.set(changed, {
      known: row.known,
      endpointId: (row.endpoint_id ?? undefined) as EndpointId | undefined,
      activeThen: row.active_then,
    });
    const submissionId = submissions.get(changed);
    if (!submissionId || row.waiting_id === null || row.waiting_occurred_at === null) continue;
    const eventId = row.waiting_id as EventId;
    waiting.set(eventId, { eventId, submissionId, occurredAt: row.waiting_occurred_at });
  }
  return { circumstances, waiting: [...waiting.values()] };
}

/** Inserts the new events and marks those that they supersede, in one statement. */
function insertEvents(
  tx: PoolClient,
  { recorded, superseded }: Recordings,
  sealBody: (change: Change) => Uint8Array,
): void {
  enqueue(tx, {
    name: 'record-events',
    text: `WITH "superseded" AS (
             UPDATE "event" "e"
                SET "state" = 'superseded', "superseded_by" = "s"."by", "next_attempt_at" = NULL, "settled_at" = ${NOW}
               FROM unnest($10::uuid[], $11::uuid[]) AS "s"("id", "by")
              WHERE "e"."id" = "s"."id" AND "e"."state" = 'pending' AND "e"."attempt_count" = 0
           )
           INSERT INTO "event" ("id", "submission_id", "account_id", "environment", "endpoint_id", "change",
                                "occurred_at", "recorded_at", "sealed_body", "state", "superseded_by",
                                "next_attempt_at", "settled_at", "trace_parent")
           SELECT "id", "submission_id", "account_id", "environment", "endpoint_id", "change", "occurred_at", ${NOW},
                  "sealed_body", "state", "superseded_by", CASE WHEN "state" = 'pending' THEN ${NOW} END,
                  CASE WHEN "state" <> 'pending' THEN ${NOW} END, "trace_parent"
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::environment[], $5::uuid[], $6::event_change[],
                         $7::timestamptz[], $8::bytea[], $9::event_state[], $12::uuid[], $13::text[])
               AS "r"("id", "submission_id", "account_id", "environment", "endpoint_id", "change", "occurred_at",
                      "sealed_body", "state", "superseded_by", "trace_parent")`,
    values: [
      recorded.map(({ change }) => change.eventId),
      recorded.map(({ change }) => change.submissionId),
      recorded.map(({ change }) => change.accountId),
      recorded.map(({ change }) => change.environment),
      recorded.map(({ recording }) => recording.endpointId ?? null),
      recorded.map(({ change }) => change.change),
      recorded.map(({ change }) => change.occurredAt),
      recorded.map(({ change, recording }) => (recording.state === 'dropped' ? null : sealBody(change))),
      recorded.map(({ recording }) => recording.state),
      [...superseded.keys()],
      [...superseded.values()],
      recorded.map(({ recording }) => (recording.state === 'superseded' ? recording.supersededBy : null)),
      recorded.map(({ change, recording }) => (recording.state === 'pending' && change.traceParent) || null),
    ],
  });
}
