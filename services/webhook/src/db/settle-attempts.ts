import type { Pool } from 'pg';
import type { Outcome } from '../domain/outcome.ts';

/**
 * Closes attempts and moves their events on, all in one statement, and answers for each whether it was still open. The
 * open attempt row is the fence: whoever closes it first decides, and a later word on the same attempt changes nothing,
 * so that a worker that comes back after its lease cannot disturb the attempt that followed.
 */
export async function settleAttempts(pool: Pool, outcomes: readonly Outcome[]): Promise<boolean[]> {
  const column = <Value>(pick: (outcome: Outcome) => Value | undefined) =>
    outcomes.map((outcome) => pick(outcome) ?? null);
  const { rows } = await pool.query<{ event_id: string; number: number }>({
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
        RETURNING "a"."event_id", "a"."number", "a"."ended_at", "o"."state", "o"."next_attempt_at"
      )
      UPDATE "event" "e"
         SET "state" = "c"."state", "next_attempt_at" = "c"."next_attempt_at", "lease_until" = NULL,
             "settled_at" = CASE WHEN "c"."state" = 'pending' THEN NULL ELSE "c"."ended_at" END
        FROM "closed" "c"
       WHERE "e"."id" = "c"."event_id" AND "e"."attempt_count" = "c"."number"
      RETURNING "c"."event_id", "c"."number"`,
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
    ],
  });
  const settled = new Set(rows.map((row) => `${row.event_id} ${row.number}`));
  return outcomes.map((outcome) => settled.has(`${outcome.eventId} ${outcome.number}`));
}
