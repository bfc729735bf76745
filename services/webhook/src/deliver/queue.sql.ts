// SQL, because attempts are claimed in sets.
import type { EndpointId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { ClaimedAttempt, StartedAttempt } from '../model/attempt.ts';
import { NOW } from '../store/database.ts';

/** How many attempts may be claimed for one endpoint. */
export interface ClaimRequest {
  readonly endpointId: EndpointId;
  readonly slots: number;
}

/**
 * Claims the longest-due attempts of each requested endpoint, at most its slots, skipping locked rows. This one
 * statement commits the attempt's number before the webhook is sent; for `leaseMs`, by the database's clock, the caller
 * owns the event. Disabled endpoints yield nothing. The due ids are passed to the update as an array: for a join, the
 * planner estimates a tenth of all due rows, and scans the whole table instead.
 */
export async function claimAttempts(
  pool: Pool,
  requests: readonly ClaimRequest[],
  leaseMs: number,
): Promise<ClaimedAttempt[]> {
  const { rows } = await pool.query<ClaimedAttempt>({
    name: 'claim-attempts',
    text: `WITH requested AS (
        SELECT * FROM unnest($1::uuid[], $2::int[]) AS r(endpoint_id, slots)
      ), due AS (
        SELECT d.id
          FROM requested r
          JOIN endpoint p ON p.id = r.endpoint_id AND p.enabled
         CROSS JOIN LATERAL (
                SELECT e.id FROM event e
                 WHERE e.endpoint_id = r.endpoint_id AND e.next_attempt_at <= ${NOW}
                 ORDER BY e.next_attempt_at
                 LIMIT r.slots
                   FOR UPDATE SKIP LOCKED
              ) d
      )
      UPDATE event e
         SET attempt_count = e.attempt_count + 1, next_attempt_at = NULL,
             lease_until = ${NOW} + $3 * interval '1 millisecond', attempt_started_at = ${NOW},
             attempt_key_fingerprint = p.key_fingerprint
        FROM endpoint p
       WHERE e.id = ANY(ARRAY(SELECT id FROM due)) AND p.id = e.endpoint_id
      RETURNING e.id AS "eventId", e.endpoint_id AS "endpointId", e.attempt_count AS number,
                e.attempt_started_at AS "startedAt", e.occurred_at AS "occurredAt",
                e.recorded_at AS "recordedAt", e.sealed_body AS "sealedBody",
                coalesce(e.trace_parent, '') AS "traceParent", p.url, p.sealed_secret AS "sealedSecret",
                p.key_fingerprint AS "keyFingerprint",
                EXISTS (SELECT FROM erased_submission s
                         WHERE s.submission_id = e.submission_id) AS "isErased",
                (SELECT max(a.active_from) FROM endpoint_activity a
                  WHERE a.endpoint_id = e.endpoint_id) AS "activeSince"`,
    values: [requests.map(({ endpointId }) => endpointId), requests.map(({ slots }) => slots), leaseMs],
  });
  return rows;
}

/**
 * Returns the enabled endpoints with at least one attempt due by the database's clock, with one index probe for each
 * endpoint.
 */
export async function findDueEndpoints(pool: Pool): Promise<EndpointId[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-due-endpoints',
    text: `SELECT p.id FROM endpoint p
            WHERE p.enabled AND EXISTS (
                    SELECT FROM event e
                     WHERE e.endpoint_id = p.id AND e.next_attempt_at <= ${NOW})`,
  });
  return rows.map((row) => row.id as EndpointId);
}

/** An attempt whose lease expired before its end was recorded. */
export interface LostAttempt extends StartedAttempt {
  readonly leaseUntil: Date;
}

/**
 * Returns up to `limit` attempts whose lease has expired by the database's clock, the longest ago first. Locks and
 * changes nothing.
 */
export async function findLostAttempts(pool: Pool, limit: number): Promise<LostAttempt[]> {
  const { rows } = await pool.query<LostAttempt>({
    name: 'find-lost-attempts',
    text: `SELECT e.id AS "eventId", e.endpoint_id AS "endpointId", e.attempt_count AS number,
                  e.lease_until AS "leaseUntil",
                  e.attempt_started_at AS "startedAt", e.attempt_key_fingerprint AS "keyFingerprint"
             FROM event e WHERE e.lease_until < ${NOW} ORDER BY e.lease_until LIMIT $1`,
    values: [limit],
  });
  return rows;
}

/** The number of events awaiting delivery, and the failing endpoints. */
export interface QueueReading {
  /** Pending events awaiting an attempt, due or not; counted up to a limit. */
  readonly waiting: number;
  /** Pending events with an attempt in progress. */
  readonly leased: number;
  /** How long the oldest due event of an enabled endpoint has been due; 0 when none is. */
  readonly oldestDueSeconds: number;
  /** The longest-failing endpoints, up to a limit. */
  readonly failing: readonly { readonly endpointId: EndpointId; readonly failedAttempts: number }[];
}

/** Counting stops here, so that counting a backlog does not make it worse. */
export const MAX_COUNTED = 100_000;
export const MAX_FAILING = 100;

/** Reads the queue in one statement, with a few index scans. Locks nothing. */
export async function readQueue(pool: Pool): Promise<QueueReading> {
  const { rows } = await pool.query<QueueReading>({
    name: 'read-queue',
    text: `SELECT (SELECT count(*)::int FROM (SELECT FROM event WHERE next_attempt_at IS NOT NULL
                                               LIMIT ${MAX_COUNTED}) AS w) AS waiting,
                  (SELECT count(*)::int FROM (SELECT FROM event WHERE lease_until IS NOT NULL
                                               LIMIT ${MAX_COUNTED}) AS l) AS leased,
                  (SELECT COALESCE(extract(epoch FROM ${NOW} - min(d.at))::float8, 0) FROM endpoint p
                    CROSS JOIN LATERAL (SELECT e.next_attempt_at AS at FROM event e
                                         WHERE e.endpoint_id = p.id AND e.next_attempt_at <= ${NOW}
                                         ORDER BY e.next_attempt_at LIMIT 1) AS d
                    WHERE p.enabled) AS "oldestDueSeconds",
                  (SELECT coalesce(json_agg(json_build_object('endpointId', endpoint_id, 'failedAttempts', failed_attempts)), '[]')
                     FROM (SELECT endpoint_id, failed_attempts FROM endpoint_health
                            WHERE failing_since IS NOT NULL ORDER BY failing_since LIMIT ${MAX_FAILING})
                       AS f) AS failing`,
  });
  const [row] = rows;
  if (!row) throw new Error('invariant violated: no row from a query of scalars');
  return row;
}
