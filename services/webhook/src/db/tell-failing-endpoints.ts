import type { AccountId, EndpointId } from '@supplier/lib/ids';
import { appendEvents } from '@supplier/lib/outbox';
import type { EnvironmentName } from '../domain/environment.ts';
import { type Database, inTransaction, NOW } from './database.ts';
import { endpointFailing } from './delivery-events.ts';

/** An endpoint that operators have just been notified of. */
export interface FailingEndpoint {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly failingSince: Date;
  readonly failedAttempts: bigint;
  readonly toldAt: Date;
}

/**
 * Notes that operators are notified of up to `limit` enabled endpoints that have failed for `failingMs` or longer by the
 * database's clock, and emits the events, in one transaction. Rows that somebody else is changing wait for the next time.
 */
export function tellFailingEndpoints(
  db: Database,
  failingMs: number,
  limit: number,
): Promise<FailingEndpoint[]> {
  return inTransaction(db, async (tx) => {
    const rows = await tx.$queryRawUnsafe<FailingEndpoint[]>(
      `UPDATE "endpoint_health" "h" SET "told_at" = ${NOW}
         FROM (SELECT "u"."endpoint_id", "p"."account_id", "p"."environment"
                 FROM "endpoint_health" "u" JOIN "endpoint" "p" ON "p"."id" = "u"."endpoint_id"
                WHERE "u"."failing_since" <= ${NOW} - $1 * interval '1 millisecond' AND "u"."told_at" IS NULL AND "p"."enabled"
                ORDER BY "u"."failing_since" LIMIT $2
                  FOR UPDATE OF "u" SKIP LOCKED) AS "due"
        WHERE "h"."endpoint_id" = "due"."endpoint_id"
       RETURNING "h"."endpoint_id" AS "endpointId", "due"."account_id" AS "accountId",
                 "due"."environment"::text AS "environment", "h"."failing_since" AS "failingSince",
                 "h"."failed_attempts" AS "failedAttempts", "h"."told_at" AS "toldAt"`,
      failingMs,
      limit,
    );
    await appendEvents(
      tx,
      rows.map((row) => endpointFailing(row)),
    );
    return rows;
  });
}
