import type { EndpointId } from '@supplier/lib/ids';
import type { PoolClient } from 'pg';
import { type AttemptEnding, type FailureStreak, streakAfter } from '../domain/endpoint-streak.ts';

/** An endpoint that operators were told of, and that has taken an event again. */
export interface Recovery {
  readonly endpointId: EndpointId;
  readonly failingSince: Date;
  readonly recoveredAt: Date;
}

/**
 * Notes how attempts at endpoints ended, inside the caller's transaction, and answers which of them have recovered.
 * Locks are taken in one order by everybody, so that callers with the same endpoints wait for each other and nothing
 * more; nothing is written for an endpoint that was well and still is.
 */
export async function noteEndings(
  client: PoolClient,
  endings: ReadonlyMap<EndpointId, readonly AttemptEnding[]>,
): Promise<Recovery[]> {
  const endpointIds = [...endings.keys()];
  await lockHealth(client, endpointIds);
  const before = await readStreaks(client, endpointIds);
  const recoveries: Recovery[] = [];
  const changed = new Map<EndpointId, FailureStreak | undefined>();
  for (const [endpointId, ends] of endings) {
    const { streak, recovery } = streakAfter(before.get(endpointId), ends);
    if (streak !== before.get(endpointId)) changed.set(endpointId, streak);
    if (!recovery) continue;
    const { failingSince } = recovery.streak;
    recoveries.push({ endpointId, failingSince, recoveredAt: recovery.recoveredAt });
  }
  if (changed.size > 0) await writeStreaks(client, changed);
  return recoveries;
}

/** Held to the end of the transaction. The row cannot be locked instead: the first failure finds none. */
async function lockHealth(client: PoolClient, endpointIds: readonly EndpointId[]): Promise<void> {
  await client.query({
    name: 'lock-endpoint-health',
    text: `SELECT pg_advisory_xact_lock("key")
             FROM (SELECT DISTINCT hashtextextended('health ' || "id", 0) AS "key" FROM unnest($1::text[]) AS "i"("id")
                    ORDER BY "key") AS "keys"`,
    values: [endpointIds],
  });
}

async function readStreaks(
  client: PoolClient,
  endpointIds: readonly EndpointId[],
): Promise<Map<EndpointId, FailureStreak>> {
  // Locked as well, since whoever tells of a failing endpoint holds the row alone.
  const { rows } = await client.query<{
    endpoint_id: string;
    failing_since: Date;
    failed_attempts: string;
    told_at: Date | null;
  }>({
    name: 'read-endpoint-health',
    text: `SELECT "endpoint_id", "failing_since", "failed_attempts", "told_at" FROM "endpoint_health"
            WHERE "endpoint_id" = ANY($1::uuid[]) AND "failing_since" IS NOT NULL
            ORDER BY "endpoint_id" FOR UPDATE`,
    values: [endpointIds],
  });
  return new Map(
    rows.map((row) => [
      row.endpoint_id as EndpointId,
      {
        failingSince: row.failing_since,
        failedAttempts: BigInt(row.failed_attempts),
        toldAt: row.told_at ?? undefined,
      },
    ]),
  );
}

async function writeStreaks(
  client: PoolClient,
  streaks: ReadonlyMap<EndpointId, FailureStreak | undefined>,
): Promise<void> {
  const values = [...streaks.values()];
  await client.query({
    name: 'write-endpoint-health',
    text: `INSERT INTO "endpoint_health" ("endpoint_id", "failing_since", "failed_attempts", "told_at")
           SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::timestamptz[])
               AS "s"("endpoint_id", "failing_since", "failed_attempts", "told_at")
            ORDER BY "s"."endpoint_id"
           ON CONFLICT ("endpoint_id") DO UPDATE
              SET "failing_since" = excluded."failing_since", "failed_attempts" = excluded."failed_attempts",
                  "told_at" = excluded."told_at"`,
    values: [
      [...streaks.keys()],
      values.map((streak) => streak?.failingSince ?? null),
      values.map((streak) => streak?.failedAttempts ?? 0n),
      values.map((streak) => streak?.toldAt ?? null),
    ],
  });
}
