import type { EndpointId } from '@supplier/lib/ids';
import type { SqlExecutor } from '@supplier/lib/postgres';

/**
 * Ends every delivery of the endpoint that waits for an attempt and was recorded before `recordedBefore`; one that is
 * under way is left to its end. Answers how many. The caller holds the lock on activity.
 */
export async function expirePausedOf(
  tx: SqlExecutor,
  endpointId: EndpointId,
  recordedBefore: Date,
  now: Date,
): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE "event" SET "state" = 'expired', "next_attempt_at" = NULL, "settled_at" = $3::timestamptz
      WHERE "endpoint_id" = $1::uuid AND "next_attempt_at" IS NOT NULL AND "recorded_at" < $2::timestamptz`,
    endpointId,
    recordedBefore,
    now,
  );
}

/**
 * The same for all disabled endpoints, at most `limit` deliveries, skipping what somebody else is changing. An endpoint
 * cannot be enabled in the middle of this: whoever enables it does its expiring.
 */
export async function expirePausedOfDisabled(
  db: SqlExecutor,
  recordedBefore: Date,
  now: Date,
  limit: number,
): Promise<number> {
  return db.$executeRawUnsafe(
    `WITH "paused" AS (
       SELECT "e"."id" FROM "endpoint" "p" JOIN "event" "e" ON "e"."endpoint_id" = "p"."id"
        WHERE NOT "p"."enabled" AND "e"."next_attempt_at" IS NOT NULL AND "e"."recorded_at" < $1::timestamptz
        LIMIT $3::int
          FOR UPDATE OF "e" SKIP LOCKED
          FOR SHARE OF "p" SKIP LOCKED
     )
     UPDATE "event" "e" SET "state" = 'expired', "next_attempt_at" = NULL, "settled_at" = $2::timestamptz
       FROM "paused" WHERE "e"."id" = "paused"."id"`,
    recordedBefore,
    now,
    limit,
  );
}
