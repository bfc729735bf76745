import type { AccountId, EndpointId } from '@supplier/lib/ids';
import { appendEvents } from '@supplier/lib/outbox';
import type { EnvironmentName } from '../domain/environment.ts';
import { type Database, inTransaction } from './database.ts';
import { endpointFailing } from './delivery-events.ts';

/** An endpoint that operators have just been told of. */
export interface FailingEndpoint {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly failingSince: Date;
  readonly failedAttempts: bigint;
}

/**
 * Notes that operators are told of up to `limit` enabled endpoints that have failed since `failingSince` or longer, and
 * tells them, in one transaction. Rows that somebody else is changing wait for the next time.
 */
export function tellFailingEndpoints(
  db: Database,
  failingSince: Date,
  toldAt: Date,
  limit: number,
): Promise<FailingEndpoint[]> {
  return inTransaction(db, async (tx) => {
    const rows = await tx.$queryRawUnsafe<FailingEndpoint[]>(
      `UPDATE "endpoint_health" "h" SET "told_at" = $2::timestamptz
         FROM (SELECT "u"."endpoint_id", "p"."account_id", "p"."environment"
                 FROM "endpoint_health" "u" JOIN "endpoint" "p" ON "p"."id" = "u"."endpoint_id"
                WHERE "u"."failing_since" <= $1::timestamptz AND "u"."told_at" IS NULL AND "p"."enabled"
                ORDER BY "u"."failing_since" LIMIT $3
                  FOR UPDATE OF "u" SKIP LOCKED) AS "due"
        WHERE "h"."endpoint_id" = "due"."endpoint_id"
       RETURNING "h"."endpoint_id" AS "endpointId", "due"."account_id" AS "accountId",
                 "due"."environment"::text AS "environment", "h"."failing_since" AS "failingSince",
                 "h"."failed_attempts" AS "failedAttempts"`,
      failingSince,
      toldAt,
      limit,
    );
    await appendEvents(
      tx,
      rows.map((row) => endpointFailing({ ...row, toldAt })),
    );
    return rows;
  });
}
