// SQL, because endings are recorded in sets, with every delivery.
import { appendEvents, newEvent, type OutboxEvent } from '@supplier/lib/events/outbox';
import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  DeliveryExhaustedSchema,
  EndpointFailingSchema,
  EndpointRecoveredSchema,
} from '@supplier/proto/webhook/v1/events';
import type { PoolClient } from 'pg';
import { type AttemptEnding, type FailureStreak, streakAfter } from '../model/endpoint-streak.ts';
import { type EnvironmentName, environmentOf } from '../model/event.ts';
import { type Database, inTransaction, NOW } from './database.ts';

/** An endpoint that has accepted an event again after operators were notified of its failures. */
export interface Recovery {
  readonly endpointId: EndpointId;
  readonly failingSince: Date;
  readonly recoveredAt: Date;
}

/**
 * Records how attempts at endpoints ended, inside the caller's transaction, and returns the endpoints that have
 * recovered. All callers take the locks in the same order, so that callers with the same endpoints wait for each other
 * and never deadlock. Writes nothing for an endpoint that worked and still does.
 */
export async function recordEndings(
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

/**
 * Takes locks until the end of the transaction. Advisory rather than row locks, since there is no row before the first
 * failure.
 */
async function lockHealth(client: PoolClient, endpointIds: readonly EndpointId[]): Promise<void> {
  await client.query({
    name: 'lock-endpoint-health',
    text: `SELECT pg_advisory_xact_lock(key)
             FROM (SELECT DISTINCT hashtextextended('health ' || id, 0) AS key FROM unnest($1::text[]) AS i(id)
                    ORDER BY key) AS keys`,
    values: [endpointIds],
  });
}

async function readStreaks(
  client: PoolClient,
  endpointIds: readonly EndpointId[],
): Promise<Map<EndpointId, FailureStreak>> {
  // Locks the row too: the notification of failing endpoints locks only the row.
  const { rows } = await client.query<{
    endpoint_id: string;
    failing_since: Date;
    failed_attempts: string;
    notified_at: Date | null;
  }>({
    name: 'read-endpoint-health',
    text: `SELECT endpoint_id, failing_since, failed_attempts, notified_at FROM endpoint_health
            WHERE endpoint_id = ANY($1::uuid[]) AND failing_since IS NOT NULL
            ORDER BY endpoint_id FOR UPDATE`,
    values: [endpointIds],
  });
  return new Map(
    rows.map((row) => [
      row.endpoint_id as EndpointId,
      {
        failingSince: row.failing_since,
        failedAttempts: BigInt(row.failed_attempts),
        notifiedAt: row.notified_at ?? undefined,
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
    text: `INSERT INTO endpoint_health (endpoint_id, failing_since, failed_attempts, notified_at)
           SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::timestamptz[])
               AS s(endpoint_id, failing_since, failed_attempts, notified_at)
            ORDER BY s.endpoint_id
           ON CONFLICT (endpoint_id) DO UPDATE
              SET failing_since = excluded.failing_since, failed_attempts = excluded.failed_attempts,
                  notified_at = excluded.notified_at`,
    values: [
      [...streaks.keys()],
      values.map((streak) => streak?.failingSince ?? null),
      values.map((streak) => streak?.failedAttempts ?? 0n),
      values.map((streak) => streak?.notifiedAt ?? null),
    ],
  });
}

/** An endpoint whose failures operators have just been notified about. */
export interface FailingEndpoint {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly failingSince: Date;
  readonly failedAttempts: bigint;
  readonly notifiedAt: Date;
}

/**
 * Notifies operators of up to `limit` enabled endpoints that have failed for `failingMs` or longer by the database's
 * clock: marks them and emits the events, in one transaction. Locked rows are left for the next call.
 */
export function notifyFailingEndpoints(
  db: Database,
  failingMs: number,
  limit: number,
): Promise<FailingEndpoint[]> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<Omit<FailingEndpoint, 'failedAttempts'> & { failedAttempts: string }>(
      `UPDATE endpoint_health h SET notified_at = ${NOW}
         FROM (SELECT u.endpoint_id, p.account_id, p.environment
                 FROM endpoint_health u JOIN endpoint p ON p.id = u.endpoint_id
                WHERE u.failing_since <= ${NOW} - $1 * interval '1 millisecond' AND u.notified_at IS NULL AND p.enabled
                ORDER BY u.failing_since LIMIT $2
                  FOR UPDATE OF u SKIP LOCKED) AS due
        WHERE h.endpoint_id = due.endpoint_id
       RETURNING h.endpoint_id AS "endpointId", due.account_id AS "accountId",
                 due.environment::text AS environment, h.failing_since AS "failingSince",
                 h.failed_attempts AS "failedAttempts", h.notified_at AS "notifiedAt"`,
      [failingMs, limit],
    );
    const failing = rows.map((row) => ({ ...row, failedAttempts: BigInt(row.failedAttempts) }));
    await appendEvents(
      tx,
      failing.map((endpoint) => endpointFailing(endpoint)),
    );
    return failing;
  });
}

interface EndpointFacts {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly endpointId: EndpointId;
}

/**
 * Returns the event that reports a failed last attempt. An event ends once, so this is the only domain event of its
 * aggregate.
 */
export function deliveryExhausted(
  facts: EndpointFacts & {
    readonly eventId: EventId;
    readonly submissionId: SubmissionId;
    readonly exhaustedAt: Date;
  },
): OutboxEvent {
  const { accountId, endpointId, eventId, submissionId, exhaustedAt } = facts;
  return newEvent(
    DeliveryExhaustedSchema,
    {
      accountId,
      environment: environmentOf(facts.environment),
      endpointId,
      eventId,
      submissionId,
      exhaustedAt: toTimestamp(exhaustedAt),
    },
    { aggregateId: eventId, aggregateVersion: 1n, occurredAt: exhaustedAt },
  );
}

/** Returns the event that reports that every attempt at an endpoint has failed long enough to notify operators. */
export function endpointFailing(
  facts: EndpointFacts & {
    readonly failingSince: Date;
    readonly failedAttempts: bigint;
    readonly notifiedAt: Date;
  },
): OutboxEvent {
  const { accountId, endpointId, failingSince, failedAttempts, notifiedAt } = facts;
  return newEvent(
    EndpointFailingSchema,
    {
      accountId,
      environment: environmentOf(facts.environment),
      endpointId,
      failingSince: toTimestamp(failingSince),
      failedAttempts,
    },
    { aggregateId: endpointId, aggregateVersion: versionAt(notifiedAt), occurredAt: notifiedAt },
  );
}

/**
 * Returns the event that reports that an endpoint has accepted an event after operators were notified of its failures.
 */
export function endpointRecovered(
  facts: EndpointFacts & { readonly failingSince: Date; readonly recoveredAt: Date },
): OutboxEvent {
  const { accountId, endpointId, failingSince, recoveredAt } = facts;
  return newEvent(
    EndpointRecoveredSchema,
    {
      accountId,
      environment: environmentOf(facts.environment),
      endpointId,
      failingSince: toTimestamp(failingSince),
      recoveredAt: toTimestamp(recoveredAt),
    },
    { aggregateId: endpointId, aggregateVersion: versionAt(recoveredAt), occurredAt: recoveredAt },
  );
}

/** Events of an endpoint have no counter; their times increase, which is enough for a version. */
function versionAt(time: Date): bigint {
  return BigInt(time.getTime());
}
