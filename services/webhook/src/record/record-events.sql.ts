// SQL, because changes are recorded in sets.
import { enqueue } from '@supplier/lib/data/postgres';
import type { EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool, PoolClient } from 'pg';
import type { ClaimedAttempt, Places } from '../model/attempt.ts';
import {
  type Change,
  type Circumstances,
  type RecordedChange,
  type Recordings,
  recordAll,
  type WaitingEvent,
} from '../model/recording.ts';
import { NOW } from '../store/database.ts';
import { lockForRecording } from '../store/locks.sql.ts';

/**
 * Returns the changes that are not recorded yet and will be delivered, as far as can be determined without a lock:
 * recording decides again under one.
 */
export async function findDeliverable(pool: Pool, changes: readonly Change[]): Promise<ReadonlySet<EventId>> {
  const { circumstances } = await readCircumstances(pool, changes);
  const deliverable = changes.filter(({ eventId }) => {
    const { known, activeThen } = circumstances.get(eventId) ?? NOTHING_KNOWN;
    return !known && activeThen;
  });
  return new Set(deliverable.map(({ eventId }) => eventId));
}

/** Returns the changes' submissions that were erased; no other is erased before the end of the transaction. */
export async function findErased(
  tx: PoolClient,
  changes: readonly Change[],
): Promise<ReadonlySet<SubmissionId>> {
  lockForRecording(tx, changes);
  const { rows } = await tx.query<{ submission_id: string }>({
    name: 'find-erased',
    text: `SELECT submission_id FROM erased_submission WHERE submission_id = ANY($1::uuid[])`,
    values: [changes.map(({ submissionId }) => submissionId)],
  });
  return new Set(rows.map((row) => row.submission_id as SubmissionId));
}

export interface RecordedEvents {
  /** The new ones, in order. */
  readonly recorded: readonly RecordedChange[];
  /** The events whose first attempt is claimed. */
  readonly claimed: ReadonlySet<EventId>;
  /** Makes those attempts; call after the commit. */
  begin(): void;
}

export interface RecordingOptions {
  /** Called for changes with a body to store. */
  readonly sealBody: (change: Change) => Uint8Array;
  /** Reserves attempts; see `claimDirectly`. */
  readonly reserve: (endpointId: EndpointId, wanted: number) => Places;
}

/**
 * Records changes inside the caller's transaction, in order, in three statements for any number of changes. When
 * nothing else waits for an endpoint, the first attempts are claimed with the recording, as far as this process can
 * make them immediately: this saves a row write, and the search by a claim. An event whose first attempt is claimed
 * concurrently is no longer superseded. Implements docs/contract.md, section 7.
 */
export async function recordEvents(
  tx: PoolClient,
  changes: readonly Change[],
  { sealBody, reserve }: RecordingOptions,
): Promise<RecordedEvents> {
  lockForRecording(tx, changes);
  const { circumstances, waiting, receivers, now } = await readCircumstances(tx, changes);
  const recordings = recordAll(
    changes.map((change) => ({
      change,
      circumstances: circumstances.get(change.eventId) ?? NOTHING_KNOWN,
    })),
    waiting,
  );
  const { recorded } = recordings;
  const claims = claimDirectly(recorded, receivers, reserve);
  const bodies = new Map(
    recorded.flatMap(({ change, recording }) =>
      recording.state === 'dropped' ? [] : [[change.eventId, sealBody(change)] as const],
    ),
  );
  if (recorded.length > 0) insertEvents(tx, recordings, bodies, { claims, now });
  return {
    recorded,
    claimed: new Set(claims.flatMap(({ changes }) => changes.map(({ eventId }) => eventId))),
    begin() {
      for (const { places, receiver, changes } of claims)
        places.begin(
          changes.map(({ eventId, occurredAt, traceParent = '' }) => ({
            ...receiver,
            eventId,
            number: 1,
            startedAt: now,
            occurredAt,
            recordedAt: now,
            sealedBody: bodies.get(eventId) ?? NO_BODY,
            traceParent,
            isErased: circumstances.get(eventId)?.isErased ?? false,
          })),
        );
    },
  };
}

/** The current recipient of an endpoint's webhooks, and whether other attempts to it are due. */
interface Receiver
  extends Pick<ClaimedAttempt, 'endpointId' | 'url' | 'sealedSecret' | 'keyFingerprint' | 'activeSince'> {
  readonly hasCapacity: boolean;
}

/** First attempts to one endpoint that are claimed when their events are recorded. */
interface DirectClaim {
  readonly places: Places;
  readonly receiver: Receiver;
  readonly changes: readonly Change[];
}

function claimDirectly(
  recorded: readonly RecordedChange[],
  receivers: ReadonlyMap<EndpointId, Receiver>,
  reserve: RecordingOptions['reserve'],
): DirectClaim[] {
  const pending = Map.groupBy(
    recorded.filter(({ recording }) => recording.state === 'pending'),
    ({ recording }) => recording.endpointId,
  );
  return [...pending].flatMap(([endpointId, events]) => {
    const receiver = endpointId && receivers.get(endpointId);
    if (!receiver?.hasCapacity) return [];
    const places = reserve(receiver.endpointId, events.length);
    const changes = events.slice(0, places.count).map(({ change }) => change);
    return changes.length > 0 ? [{ places, receiver, changes }] : [];
  });
}

const NO_BODY = new Uint8Array();
const NOTHING_KNOWN: Circumstances = { known: false, endpointId: undefined, activeThen: false };

interface Row {
  now: Date;
  id: string;
  known: boolean;
  is_erased: boolean;
  endpoint_id: string | null;
  url: string | null;
  sealed_secret: Buffer | null;
  key_fingerprint: string | null;
  active_since: Date | null;
  is_free: boolean | null;
  active_then: boolean;
  waiting_id: string | null;
  waiting_occurred_at: Date | null;
}

interface AllCircumstances {
  readonly circumstances: ReadonlyMap<EventId, Circumstances & { readonly isErased: boolean }>;
  readonly waiting: readonly WaitingEvent[];
  readonly receivers: ReadonlyMap<EndpointId, Receiver>;
  /** By the database's clock. */
  readonly now: Date;
}

async function readCircumstances(
  db: Pool | PoolClient,
  changes: readonly Change[],
): Promise<AllCircumstances> {
  const { rows } = await db.query<Row>({
    name: 'read-circumstances',
    text: `WITH c AS MATERIALIZED (
             SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::environment[], $5::timestamptz[])
               AS c(id, submission_id, account_id, environment, occurred_at)),
           p AS MATERIALIZED (
             SELECT p.*, (SELECT max(a.active_from) FROM endpoint_activity a
                             WHERE a.endpoint_id = p.id) AS active_since,
                    p.enabled AND NOT EXISTS (
                      SELECT FROM event e
                       WHERE e.endpoint_id = p.id AND e.next_attempt_at <= ${NOW}) AS is_free
               FROM endpoint p
              WHERE (p.account_id, p.environment) IN (SELECT account_id, environment FROM c))
           SELECT ${NOW} AS now, c.id, p.id AS endpoint_id, p.url, p.sealed_secret,
                  p.key_fingerprint, p.active_since, p.is_free,
                  EXISTS (SELECT FROM erased_submission s
                           WHERE s.submission_id = c.submission_id) AS is_erased,
                  -- One probe of the index for each: an EXISTS may be answered by reading the whole table once.
                  (SELECT true FROM event e WHERE e.id = c.id) IS NOT NULL AS known,
                  EXISTS (SELECT FROM endpoint_activity a
                           WHERE a.endpoint_id = p.id AND a.active_from <= c.occurred_at
                             AND (a.active_until IS NULL OR a.active_until > c.occurred_at)) AS active_then,
                  w.id AS waiting_id, w.occurred_at AS waiting_occurred_at
             FROM c LEFT JOIN p ON p.account_id = c.account_id AND p.environment = c.environment
             LEFT JOIN LATERAL (SELECT id, occurred_at FROM event
                                 WHERE submission_id = c.submission_id AND state = 'pending' AND attempt_count = 0
                                OFFSET 0) AS w ON true`,
    values: [
      changes.map(({ eventId }) => eventId),
      changes.map(({ submissionId }) => submissionId),
      changes.map(({ accountId }) => accountId),
      changes.map(({ environment }) => environment),
      changes.map(({ occurredAt }) => occurredAt),
    ],
  });
  const submissions = new Map(changes.map(({ eventId, submissionId }) => [eventId, submissionId]));
  const circumstances = new Map<EventId, Circumstances & { isErased: boolean }>();
  const receivers = new Map<EndpointId, Receiver>();
  const waiting = new Map<EventId, WaitingEvent>();
  for (const row of rows) {
    const changed = row.id as EventId;
    circumstances.set(changed, {
      known: row.known,
      endpointId: (row.endpoint_id ?? undefined) as EndpointId | undefined,
      activeThen: row.active_then,
      isErased: row.is_erased,
    });
    const receiver = receiverOf(row);
    if (receiver) receivers.set(receiver.endpointId, receiver);
    const submissionId = submissions.get(changed);
    if (!submissionId || row.waiting_id === null || row.waiting_occurred_at === null) continue;
    const eventId = row.waiting_id as EventId;
    waiting.set(eventId, { eventId, submissionId, occurredAt: row.waiting_occurred_at });
  }
  const [first] = rows;
  if (!first) throw new Error('invariant violated: no changes to record');
  return { circumstances, waiting: [...waiting.values()], receivers, now: first.now };
}

function receiverOf(row: Row): Receiver | undefined {
  const { endpoint_id, url, sealed_secret, key_fingerprint, active_since, is_free } = row;
  if (endpoint_id === null || url === null || sealed_secret === null || key_fingerprint === null)
    return undefined;
  return {
    endpointId: endpoint_id as EndpointId,
    url,
    sealedSecret: sealed_secret,
    keyFingerprint: key_fingerprint,
    activeSince: active_since,
    hasCapacity: is_free === true,
  };
}

/** Inserts the new events and marks the events that they supersede, in one statement. */
function insertEvents(
  tx: PoolClient,
  { recorded, superseded }: Recordings,
  bodies: ReadonlyMap<EventId, Uint8Array>,
  { claims, now }: { readonly claims: readonly DirectClaim[]; readonly now: Date },
): void {
  const claimOf = new Map(
    claims.flatMap((claim) => claim.changes.map(({ eventId }) => [eventId, claim] as const)),
  );
  enqueue(tx, {
    name: 'record-events',
    text: `WITH superseded AS (
             UPDATE event e
                SET state = 'superseded', superseded_by = s.by, next_attempt_at = NULL, settled_at = ${NOW}
               FROM unnest($10::uuid[], $11::uuid[]) AS s(id, by)
              WHERE e.id = s.id AND e.state = 'pending' AND e.attempt_count = 0
           )
           INSERT INTO event (id, submission_id, account_id, environment, endpoint_id, change,
                                occurred_at, recorded_at, sealed_body, state, superseded_by,
                                next_attempt_at, settled_at, trace_parent, attempt_count, lease_until,
                                attempt_started_at, attempt_key_fingerprint)
           SELECT id, submission_id, account_id, environment, endpoint_id, change, occurred_at, ${NOW},
                  sealed_body, state, superseded_by,
                  CASE WHEN state = 'pending' AND claimed_for_ms IS NULL THEN ${NOW} END,
                  CASE WHEN state <> 'pending' THEN ${NOW} END, trace_parent,
                  CASE WHEN claimed_for_ms IS NULL THEN 0 ELSE 1 END,
                  $16::timestamptz + claimed_for_ms * interval '1 millisecond',
                  CASE WHEN claimed_for_ms IS NOT NULL THEN $16::timestamptz END, claimed_with
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::environment[], $5::uuid[], $6::event_change[],
                         $7::timestamptz[], $8::bytea[], $9::event_state[], $12::uuid[], $13::text[], $14::int[],
                         $15::text[])
               AS r(id, submission_id, account_id, environment, endpoint_id, change, occurred_at,
                      sealed_body, state, superseded_by, trace_parent, claimed_for_ms, claimed_with)`,
    values: [
      recorded.map(({ change }) => change.eventId),
      recorded.map(({ change }) => change.submissionId),
      recorded.map(({ change }) => change.accountId),
      recorded.map(({ change }) => change.environment),
      recorded.map(({ recording }) => recording.endpointId ?? null),
      recorded.map(({ change }) => change.change),
      recorded.map(({ change }) => change.occurredAt),
      recorded.map(({ change }) => bodies.get(change.eventId) ?? null),
      recorded.map(({ recording }) => recording.state),
      [...superseded.keys()],
      [...superseded.values()],
      recorded.map(({ recording }) => (recording.state === 'superseded' ? recording.supersededBy : null)),
      recorded.map(({ change, recording }) => (recording.state === 'pending' && change.traceParent) || null),
      recorded.map(({ change }) => claimOf.get(change.eventId)?.places.leaseMs ?? null),
      recorded.map(({ change }) => claimOf.get(change.eventId)?.receiver.keyFingerprint ?? null),
      now,
    ],
  });
}
