// SQL, because chains of events are followed recursively, and turns are taken by the database's clock.
import type { AccountId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { EnvironmentName, EventState } from '../model/event.ts';
import type { Absent, ListedChange, OnRecord } from '../model/reconciliation.ts';
import { NOW } from '../store/database.ts';

/** Longer than any chain of changes that arrive before a first attempt. */
const MAX_CHAIN = 200;

interface Row {
  now: Date;
  change_id: string;
  active_then: boolean;
  takes_events: boolean | null;
  covered: boolean;
  submission_id: string | null;
  account_id: string | null;
  environment: EnvironmentName | null;
  occurred_at: Date | null;
  state: EventState | null;
  next_attempt_at: Date | null;
  lease_until: Date | null;
  end_submission_id: string | null;
  end_occurred_at: Date | null;
  end_state: EventState | null;
}

/**
 * Reads the records of up to one page of changes by id, and the time by the database's clock. Follows chains of
 * superseded events for 200 steps.
 */
export async function findOnRecord(pool: Pool, changes: readonly ListedChange[]) {
  if (changes.length === 0) return { now: new Date(), found: new Map<EventId, OnRecord | Absent>() };
  const { rows } = await pool.query<Row>({
    name: 'find-on-record',
    text: `WITH RECURSIVE change AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::environment[], $4::timestamptz[], $5::uuid[])
         AS c(id, account_id, environment, occurred_at, submission_id)
     ), chain AS (
       SELECT e.id AS first, e.superseded_by AS next, 1 AS step,
              e.submission_id, e.occurred_at, e.state
         FROM change c JOIN event e ON e.id = c.id AND e.superseded_by IS NOT NULL
        UNION ALL
       SELECT h.first, e.superseded_by, h.step + 1, e.submission_id, e.occurred_at, e.state
         FROM chain h JOIN event e ON e.id = h.next
        WHERE h.step < ${MAX_CHAIN}
     ), ending AS (
       SELECT DISTINCT ON (first) * FROM chain WHERE step > 1 ORDER BY first, step DESC
     )
     SELECT ${NOW} AS now, c.id AS change_id, e.submission_id, e.account_id,
            e.environment::text, e.occurred_at, e.state::text,
            e.next_attempt_at, e.lease_until, p.enabled AND l.failing_since IS NULL AS takes_events,
            EXISTS (SELECT FROM endpoint_activity a
                     WHERE a.endpoint_id = p.id AND a.active_from <= c.occurred_at
                       AND (a.active_until IS NULL OR a.active_until > c.occurred_at)) AS active_then,
            e.id IS NULL AND EXISTS (SELECT FROM event v WHERE v.submission_id = c.submission_id
                     AND v.occurred_at > c.occurred_at AND v.state <> 'dropped') AS covered,
            n.submission_id AS end_submission_id, n.occurred_at AS end_occurred_at,
            n.state::text AS end_state
       FROM change c
       LEFT JOIN event e ON e.id = c.id
       LEFT JOIN endpoint p ON p.account_id = c.account_id AND p.environment = c.environment
       LEFT JOIN endpoint_health l ON l.endpoint_id = p.id
       LEFT JOIN ending n ON n.first = e.id`,
    values: [
      changes.map((change) => change.eventId),
      changes.map((change) => change.accountId),
      changes.map((change) => change.environment),
      changes.map((change) => change.occurredAt),
      changes.map((change) => change.submissionId),
    ],
  });
  return {
    now: rows[0]?.now ?? new Date(),
    found: new Map(rows.map((row) => [row.change_id as EventId, onRecord(row)])),
  };
}

function onRecord(row: Row): OnRecord | Absent {
  const { submission_id, account_id, environment, occurred_at, state } = row;
  if (!submission_id || !account_id || !environment || !occurred_at || !state) {
    return { state: 'absent', activeThen: row.active_then, covered: row.covered };
  }
  return {
    submissionId: submission_id as SubmissionId,
    accountId: account_id as AccountId,
    environment,
    occurredAt: occurred_at,
    state,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    leaseUntil: row.lease_until ?? undefined,
    activeThen: row.active_then,
    endpointTakesEvents: row.takes_events ?? false,
    successor:
      row.end_submission_id && row.end_occurred_at && row.end_state
        ? {
            submissionId: row.end_submission_id as SubmissionId,
            occurredAt: row.end_occurred_at,
            state: row.end_state,
          }
        : undefined,
  };
}

/**
 * Takes the next turn at the task, unless a replica has taken one within `everyMs`: returns the time by the database's
 * clock, and how far the task has been completed in earlier turns. A turn need not be released: when a
 * replica dies during its turn, another takes the next.
 */
export async function takeTurn(pool: Pool, task: string, everyMs: number) {
  const { rows } = await pool.query<{ now: Date; done_until: Date | null }>(
    `INSERT INTO task_turn AS t (task, next_at) VALUES ($1, ${NOW} + $2 * interval '1 millisecond')
     ON CONFLICT (task) DO UPDATE SET next_at = excluded.next_at WHERE t.next_at <= ${NOW}
     RETURNING ${NOW} AS now, done_until`,
    [task, everyMs],
  );
  const [row] = rows;
  return row && { now: row.now, doneUntil: row.done_until ?? undefined };
}
