import type { EndpointId, EventId } from '@supplier/lib/ids';
import type { Pool } from 'pg';

/** How many attempts may be claimed for one endpoint. */
export interface Ask {
  readonly endpointId: EndpointId;
  readonly slots: number;
}

/** An attempt that is the caller's to make: its number is spent, whatever happens next. */
export interface ClaimedAttempt {
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
  /** From 1. */
  readonly number: number;
  readonly startedAt: Date;
  /** When the change happened that the event tells of, and when it was recorded. */
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  readonly url: string;
  readonly sealedSecret: Uint8Array;
  readonly keyFingerprint: string;
  readonly sealedBody: Uint8Array;
}

interface Row {
  event_id: string;
  endpoint_id: string;
  number: number;
  occurred_at: Date;
  recorded_at: Date;
  url: string;
  sealed_secret: Buffer;
  key_fingerprint: string;
  sealed_body: Buffer;
}

/**
 * Claims the longest-due attempts of each asked endpoint, at most its slots, skipping what somebody else is claiming or
 * recording. The attempt's number and row are committed by this one statement, before anything is sent; the lease says
 * until when the event is the caller's. Disabled endpoints yield nothing.
 */
export async function claimAttempts(
  pool: Pool,
  asks: readonly Ask[],
  now: Date,
  leaseUntil: Date,
): Promise<ClaimedAttempt[]> {
  const { rows } = await pool.query<Row>({
    name: 'claim-attempts',
    text: `WITH "asked" AS (
        SELECT * FROM unnest($1::uuid[], $2::int[]) AS "a"("endpoint_id", "slots")
      ), "due" AS (
        SELECT "d"."id", "p"."url", "p"."sealed_secret", "p"."key_fingerprint"
          FROM "asked" "a"
          JOIN "endpoint" "p" ON "p"."id" = "a"."endpoint_id" AND "p"."enabled"
         CROSS JOIN LATERAL (
                SELECT "e"."id" FROM "event" "e"
                 WHERE "e"."endpoint_id" = "a"."endpoint_id" AND "e"."next_attempt_at" <= $3::timestamptz
                 ORDER BY "e"."next_attempt_at"
                 LIMIT "a"."slots"
                   FOR UPDATE SKIP LOCKED
              ) "d"
      ), "taken" AS (
        UPDATE "event" "e"
           SET "attempt_count" = "e"."attempt_count" + 1, "next_attempt_at" = NULL, "lease_until" = $4::timestamptz
          FROM "due" WHERE "e"."id" = "due"."id"
        RETURNING "e"."id" AS "event_id", "e"."endpoint_id", "e"."attempt_count" AS "number", "e"."sealed_body",
                  "e"."occurred_at", "e"."recorded_at", "due"."url", "due"."sealed_secret", "due"."key_fingerprint"
      ), "begun" AS (
        INSERT INTO "attempt" ("event_id", "number", "started_at", "key_fingerprint")
        SELECT "event_id", "number", $3::timestamptz, "key_fingerprint" FROM "taken"
      )
      SELECT * FROM "taken"`,
    values: [asks.map((ask) => ask.endpointId), asks.map((ask) => ask.slots), now, leaseUntil],
  });
  return rows.map((row) => ({
    eventId: row.event_id as EventId,
    endpointId: row.endpoint_id as EndpointId,
    number: row.number,
    startedAt: now,
    occurredAt: row.occurred_at,
    recordedAt: row.recorded_at,
    url: row.url,
    sealedSecret: row.sealed_secret,
    keyFingerprint: row.key_fingerprint,
    sealedBody: row.sealed_body,
  }));
}
