import type { AccountId, EndpointId, SubmissionId } from '@supplier/lib/ids';
import { appendEvent } from '@supplier/lib/outbox';
import type { Pool, PoolClient } from 'pg';
import type { AttemptEnding } from '../domain/endpoint-streak.ts';
import type { EnvironmentName } from '../domain/environment.ts';
import type { Outcome } from '../domain/outcome.ts';
import { deliveryExhausted, endpointRecovered } from './delivery-events.ts';
import { noteEndings, type Recovery } from './endpoint-health.ts';
import { executorOf, inPoolTransaction } from './pool-transaction.ts';

/** An attempt that was closed by the outcome at hand, and what it was an attempt at. */
interface Settled {
  readonly outcome: Outcome;
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly submissionId: SubmissionId;
  /** Whether attempts at the endpoint have been failing. */
  readonly failing: boolean;
}

/**
 * Closes attempts, moves their events on, keeps the health of their endpoints and tells of what has come to its end, and
 * answers for each whether it was still open. The open attempt row is the fence: whoever closes
 * it first decides, and a later word on the same attempt changes nothing, so that a worker that comes back after its
 * lease cannot disturb the attempt that followed. `recovered` is called after the commit.
 */
export async function settleAttempts(
  pool: Pool,
  outcomes: readonly Outcome[],
  recovered: (recovery: Recovery) => void = () => {},
): Promise<boolean[]> {
  const closed = outcomes.every(goesUnnoticed) ? await closeAttempts(pool, outcomes, 'where well') : [];
  const done = new Set(closed.map(({ outcome }) => outcome));
  const rest = outcomes.filter((outcome) => !done.has(outcome));
  if (rest.length > 0) {
    for (const { outcome } of await settleNoticed(pool, rest, recovered)) done.add(outcome);
  }
  return outcomes.map((outcome) => done.has(outcome));
}

/** Whether, at an endpoint that is well, there is nothing to keep or to tell: one statement will do. */
function goesUnnoticed({ error, verdict }: Outcome): boolean {
  return error === undefined || (error === 'interrupted' && verdict.state !== 'exhausted');
}

/** All in one transaction: what is told is told exactly if it is so. */
async function settleNoticed(
  pool: Pool,
  outcomes: readonly Outcome[],
  recovered: (recovery: Recovery) => void,
): Promise<Settled[]> {
  const { settled, recoveries } = await inPoolTransaction(pool, async (client) => {
    const settled = await closeAttempts(client, outcomes, 'everywhere');
    const recoveries = await keepHealth(client, settled);
    await tell(client, settled, recoveries);
    return { settled, recoveries };
  });
  for (const recovery of recoveries) recovered(recovery);
  return settled;
}

async function keepHealth(client: PoolClient, settled: readonly Settled[]): Promise<Recovery[]> {
  // An attempt that ended with its worker says nothing about the endpoint.
  const telling = settled.filter(({ outcome }) => outcome.error !== 'interrupted');
  const touched = new Set(
    telling
      .filter(({ outcome, failing }) => failing || outcome.error !== undefined)
      .map(({ endpointId }) => endpointId),
  );
  if (touched.size === 0) return [];
  const endings = new Map<EndpointId, AttemptEnding[]>([...touched].map((endpointId) => [endpointId, []]));
  for (const { endpointId, outcome } of telling) {
    endings.get(endpointId)?.push({ endedAt: outcome.endedAt, succeeded: outcome.error === undefined });
  }
  return noteEndings(client, endings);
}

async function tell(
  client: PoolClient,
  settled: readonly Settled[],
  recoveries: readonly Recovery[],
): Promise<void> {
  const executor = executorOf(client);
  for (const { outcome, ...event } of settled) {
    if (outcome.verdict.state !== 'exhausted') continue;
    await appendEvent(
      executor,
      deliveryExhausted({ ...event, eventId: outcome.eventId, exhaustedAt: outcome.endedAt }),
    );
  }
  for (const recovery of recoveries) {
    const of = settled.find(({ endpointId }) => endpointId === recovery.endpointId);
    if (of) await appendEvent(executor, endpointRecovered({ ...of, ...recovery }));
  }
}

/** `where well` leaves attempts at endpoints alone that have been failing. */
async function closeAttempts(
  client: Pool | PoolClient,
  outcomes: readonly Outcome[],
  which: 'where well' | 'everywhere',
): Promise<Settled[]> {
  const column = <Value>(pick: (outcome: Outcome) => Value | undefined) =>
    outcomes.map((outcome) => pick(outcome) ?? null);
  const { rows } = await client.query<{
    event_id: string;
    number: number;
    endpoint_id: string;
    account_id: string;
    environment: EnvironmentName;
    submission_id: string;
    failing: boolean;
  }>({
    name: 'settle-attempts',
    text: `WITH "outcome" AS (
        SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::attempt_error[], $5::smallint[],
                             $6::real[], $7::real[], $8::real[], $9::real[], $10::inet[], $11::text[], $12::bytea[],
                             $13::event_state[], $14::timestamptz[])
          AS "o"("event_id", "number", "ended_at", "error_class", "status_code", "dns_ms", "connect_ms", "tls_ms",
                 "status_ms", "resolved_ip", "tls_version", "sealed_answer_head", "state", "next_attempt_at")
      ), "closed" AS (
        UPDATE "attempt" "a"
           SET "ended_at" = "o"."ended_at", "error_class" = "o"."error_class", "status_code" = "o"."status_code",
               "dns_ms" = "o"."dns_ms", "connect_ms" = "o"."connect_ms", "tls_ms" = "o"."tls_ms",
               "status_ms" = "o"."status_ms", "resolved_ip" = "o"."resolved_ip", "tls_version" = "o"."tls_version",
               "sealed_answer_head" = "o"."sealed_answer_head"
          FROM "outcome" "o"
         WHERE "a"."event_id" = "o"."event_id" AND "a"."number" = "o"."number" AND "a"."ended_at" IS NULL
           AND ($15::boolean OR NOT EXISTS (
                 SELECT FROM "event" "e" JOIN "endpoint_health" "h" ON "h"."endpoint_id" = "e"."endpoint_id"
                  WHERE "e"."id" = "a"."event_id" AND "h"."failing_since" IS NOT NULL))
        RETURNING "a"."event_id", "a"."number", "a"."ended_at", "o"."state", "o"."next_attempt_at"
      )
      UPDATE "event" "e"
         SET "state" = "c"."state", "next_attempt_at" = "c"."next_attempt_at", "lease_until" = NULL,
             "settled_at" = CASE WHEN "c"."state" = 'pending' THEN NULL ELSE "c"."ended_at" END
        FROM "closed" "c"
       WHERE "e"."id" = "c"."event_id" AND "e"."attempt_count" = "c"."number"
      RETURNING "c"."event_id", "c"."number", "e"."endpoint_id", "e"."account_id", "e"."environment",
                "e"."submission_id",
                EXISTS (SELECT FROM "endpoint_health" "h"
                         WHERE "h"."endpoint_id" = "e"."endpoint_id" AND "h"."failing_since" IS NOT NULL) AS "failing"`,
    values: [
      column((o) => o.eventId),
      column((o) => o.number),
      column((o) => o.endedAt),
      column((o) => o.error),
      column((o) => o.statusCode),
      column((o) => o.dnsMs),
      column((o) => o.connectMs),
      column((o) => o.tlsMs),
      column((o) => o.statusMs),
      column((o) => o.resolvedIp),
      column((o) => o.tlsVersion),
      column((o) => o.sealedAnswerHead),
      column((o) => o.verdict.state),
      column((o) => (o.verdict.state === 'pending' ? o.verdict.nextAttemptAt : undefined)),
      which === 'everywhere',
    ],
  });
  const byAttempt = new Map(outcomes.map((outcome) => [keyOf(outcome.eventId, outcome.number), outcome]));
  return rows.flatMap((row) => {
    const outcome = byAttempt.get(keyOf(row.event_id, row.number));
    if (!outcome) return [];
    return [
      {
        outcome,
        endpointId: row.endpoint_id as EndpointId,
        accountId: row.account_id as AccountId,
        environment: row.environment,
        submissionId: row.submission_id as SubmissionId,
        failing: row.failing,
      },
    ];
  });
}

function keyOf(eventId: string, number: number): string {
  return `${eventId} ${number}`;
}
