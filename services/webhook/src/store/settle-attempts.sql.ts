// SQL, because attempts are settled in sets, with every delivery.
import { inTransaction } from '@supplier/lib/data/postgres';
import { appendEvent } from '@supplier/lib/events/outbox';
import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool, PoolClient } from 'pg';
import type { Outcome } from '../model/attempt.ts';
import type { AttemptEnding } from '../model/endpoint-streak.ts';
import type { EnvironmentName } from '../model/event.ts';
import { deliveryExhausted, endpointRecovered, type Recovery, recordEndings } from './endpoint-health.sql.ts';

/** An attempt that an outcome closed, with its event and endpoint. */
interface Settled {
  readonly outcome: Outcome;
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly submissionId: SubmissionId;
  /** Whether the outcome decided the state of the event. */
  readonly decided: boolean;
  readonly failing: boolean;
}

/**
 * Closes attempts, updates their events and the health of their endpoints, and emits exhausted deliveries and
 * recoveries; returns whether each outcome was recorded. The row of the attempt is the fence: the first to write it
 * decides, so that a worker that returns after its lease cannot disturb the next attempt. Only one late outcome
 * overrides: the success of an attempt that was closed as interrupted delivers the event, unless the event has ended
 * otherwise meanwhile. `recovered` is called after the commit. Implements docs/contract.md, section 7.
 */
export async function settleAttempts(
  pool: Pool,
  outcomes: readonly Outcome[],
  recovered: (recovery: Recovery) => void = () => {},
): Promise<boolean[]> {
  const done = new Set<Outcome>();
  for (const set of oncePerEvent(outcomes)) {
    const closed = set.every(isUneventful) ? await closeWhereHealthy(pool, set) : [];
    for (const outcome of closed) done.add(outcome);
    const rest = set.filter((outcome) => !done.has(outcome));
    if (rest.length === 0) continue;
    for (const { outcome } of await settleEventful(pool, rest, recovered)) done.add(outcome);
  }
  return outcomes.map((outcome) => done.has(outcome));
}

/** Splits outcomes into sets in which each event occurs once; usually there is one set. */
function oncePerEvent(outcomes: readonly Outcome[]): Outcome[][] {
  const sets: Map<EventId, Outcome>[] = [];
  for (const outcome of outcomes) {
    const free = sets.find((set) => !set.has(outcome.eventId));
    if (free) free.set(outcome.eventId, outcome);
    else sets.push(new Map([[outcome.eventId, outcome]]));
  }
  return sets.map((set) => [...set.values()]);
}

/** Whether, for a working endpoint, nothing else needs to be written or emitted, so that one statement is enough. */
function isUneventful({ error, verdict }: Outcome): boolean {
  return error === undefined || (error === 'interrupted' && verdict.state !== 'exhausted');
}

/** Runs in one transaction, so that domain events are emitted exactly if the outcomes are recorded. */
async function settleEventful(
  pool: Pool,
  outcomes: readonly Outcome[],
  recovered: (recovery: Recovery) => void,
): Promise<Settled[]> {
  const { settled, recoveries } = await inTransaction(pool, async (client) => {
    const settled = await closeAll(client, outcomes);
    const recoveries = await keepHealth(client, settled);
    await emit(client, settled, recoveries);
    return { settled, recoveries };
  });
  for (const recovery of recoveries) recovered(recovery);
  return settled;
}

async function keepHealth(client: PoolClient, settled: readonly Settled[]): Promise<Recovery[]> {
  // An interrupted attempt says nothing about the endpoint.
  const meaningful = settled.filter(({ outcome }) => outcome.error !== 'interrupted');
  const touched = new Set(
    meaningful
      .filter(({ outcome, failing }) => failing || outcome.error !== undefined)
      .map(({ endpointId }) => endpointId),
  );
  if (touched.size === 0) return [];
  const endings = new Map<EndpointId, AttemptEnding[]>([...touched].map((endpointId) => [endpointId, []]));
  for (const { endpointId, outcome } of meaningful) {
    endings.get(endpointId)?.push({ endedAt: outcome.endedAt, succeeded: outcome.error === undefined });
  }
  return recordEndings(client, endings);
}

async function emit(
  client: PoolClient,
  settled: readonly Settled[],
  recoveries: readonly Recovery[],
): Promise<void> {
  for (const { outcome, ...event } of settled) {
    if (outcome.verdict.state !== 'exhausted' || !event.decided) continue;
    await appendEvent(
      client,
      deliveryExhausted({ ...event, eventId: outcome.eventId, exhaustedAt: outcome.endedAt }),
    );
  }
  for (const recovery of recoveries) {
    const of = settled.find(({ endpointId }) => endpointId === recovery.endpointId);
    if (of) await appendEvent(client, endpointRecovered({ ...of, ...recovery }));
  }
}

/** Skips attempts whose endpoints have been failing, because their health must be written too. */
async function closeWhereHealthy(pool: Pool, outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const { rows } = await pool.query<{ event_id: string }>({
    name: 'settle-where-healthy',
    text: `${closing(
      `WHERE NOT EXISTS (SELECT FROM endpoint_health h
                          WHERE h.endpoint_id = o.endpoint_id AND h.failing_since IS NOT NULL)`,
    )} SELECT event_id FROM closed`,
    values: columnsOf(outcomes),
  });
  const closed = new Set(rows.map(({ event_id }) => event_id));
  return outcomes.filter(({ eventId }) => closed.has(eventId));
}

async function closeAll(client: PoolClient, outcomes: readonly Outcome[]): Promise<Settled[]> {
  const { rows } = await client.query<Omit<Settled, 'outcome'> & { place: string }>({
    name: 'settle-attempts',
    text: `${closing('')}
      SELECT o.place, e.endpoint_id AS "endpointId", e.account_id AS "accountId",
             e.environment, e.submission_id AS "submissionId",
             e.id = ANY(ARRAY(SELECT id FROM moved)) AS decided,
             EXISTS (SELECT FROM endpoint_health h
                      WHERE h.endpoint_id = e.endpoint_id AND h.failing_since IS NOT NULL) AS failing
        FROM outcome o JOIN event e ON e.id = o.event_id
       WHERE o.event_id = ANY(ARRAY(SELECT event_id FROM closed))`,
    values: columnsOf(outcomes),
  });
  return rows.flatMap(({ place, ...event }) => {
    const outcome = outcomes[Number(place) - 1];
    return outcome ? [{ outcome, ...event }] : [];
  });
}

/**
 * Returns SQL that writes the attempts in a fixed order and updates their events. An attempt is written once: an
 * earlier row is overwritten only when a success replaces a guess (`interrupted`). The response to an erased attempt is not kept, however late it arrives. Each event occurs
 * once in a set, and closed attempts are passed on as an array: for a join of two sets of unknown size, the planner
 * compares all rows with all rows.
 */
function closing(which: string): string {
  return `WITH outcome AS (
        SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::attempt_error[], $5::smallint[],
                             $6::real[], $7::real[], $8::real[], $9::real[], $10::inet[], $11::text[], $12::bytea[],
                             $13::event_state[], $14::timestamptz[], $15::timestamptz[], $16::text[], $17::uuid[])
                 WITH ORDINALITY
          AS o(event_id, number, ended_at, error_class, status_code, dns_ms, connect_ms, tls_ms,
                 status_ms, resolved_ip, tls_version, sealed_answer_head, state, next_attempt_at,
                 started_at, key_fingerprint, endpoint_id, place)
      ), closed AS (
        INSERT INTO attempt AS a (event_id, number, started_at, ended_at, key_fingerprint, status_code,
                                      error_class, dns_ms, connect_ms, tls_ms, status_ms, resolved_ip,
                                      tls_version, sealed_answer_head)
        SELECT event_id, number, started_at, ended_at, key_fingerprint, status_code, error_class, dns_ms,
               connect_ms, tls_ms, status_ms, resolved_ip, tls_version, sealed_answer_head
          FROM outcome o ${which} ORDER BY event_id, number
        ON CONFLICT (event_id, number) DO UPDATE
           SET ended_at = excluded.ended_at, status_code = excluded.status_code,
               error_class = excluded.error_class, dns_ms = excluded.dns_ms,
               connect_ms = excluded.connect_ms, tls_ms = excluded.tls_ms, status_ms = excluded.status_ms,
               resolved_ip = excluded.resolved_ip, tls_version = excluded.tls_version,
               sealed_answer_head = CASE WHEN a.answer_erased_at IS NULL THEN excluded.sealed_answer_head END
         WHERE a.error_class = 'interrupted' AND excluded.error_class IS NULL
        RETURNING a.event_id
      ), moved AS (
        UPDATE event e
           SET state = o.state, next_attempt_at = o.next_attempt_at, lease_until = NULL,
               settled_at = CASE WHEN o.state = 'pending' THEN NULL ELSE o.ended_at END
          FROM outcome o
         WHERE e.id = o.event_id AND o.event_id = ANY(ARRAY(SELECT event_id FROM closed))
           AND CASE e.state
                 WHEN 'pending' THEN e.attempt_count = o.number OR o.state = 'delivered'
                 WHEN 'exhausted' THEN o.state = 'delivered' AND e.redelivered_as IS NULL
                 ELSE false
               END
        RETURNING e.id
      )`;
}

/** Returns one array for each column. Times are text: the driver would write them in local time, digit by digit. */
function columnsOf(outcomes: readonly Outcome[]): unknown[] {
  const column = <Value>(pick: (outcome: Outcome) => Value | undefined) =>
    outcomes.map((outcome) => pick(outcome) ?? null);
  return [
    column((o) => o.eventId),
    column((o) => o.number),
    column((o) => o.endedAt.toISOString()),
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
    column((o) => (o.verdict.state === 'pending' ? o.verdict.nextAttemptAt.toISOString() : undefined)),
    column((o) => o.startedAt.toISOString()),
    column((o) => o.keyFingerprint),
    column((o) => o.endpointId),
  ];
}
