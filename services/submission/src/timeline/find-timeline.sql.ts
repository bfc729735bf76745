// SQL, because the events of a submission are found by ranges of ids.
import { fromBinary } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import type pg from 'pg';
import type { Database } from '../store/database.ts';
import { PROMOTION } from '../store/operation-key.sql.ts';

const MAX_CORRECTIONS = 100;
const MAX_LINKS = 100;
const MAX_ACTIONS = 200;
/**
 * Maximum difference between the time in an event's id and the time of the change. The id is earlier if the database
 * clock, which provides the time of receipt, is ahead of the process's.
 */
const EVENT_BEFORE_MS = 250;
const EVENT_AFTER_MS = 1_000;
const MAX_SPANS = 40;
const MAX_READ_OF_A_SPAN = 4_000;
const MAX_EVENTS = 200;

/** Returns the stored history of a submission, with sealed corrections and no enquiry; undefined for an unknown one. */
export async function findTimeline(db: Database, id: SubmissionId) {
  const [submission, acts] = await Promise.all([
    db.submission.findUnique({
      where: { id },
      omit: { enquiry: true, contact: true, identifying: true, bodyFingerprint: true },
      include: {
        application: { omit: { snapshot: true } },
        operationKeys: { where: { operation: PROMOTION }, select: { appliedAt: true }, take: 1 },
        contactCorrections: { orderBy: { revision: 'desc' }, take: MAX_CORRECTIONS },
        journeyLinks: {
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          take: MAX_LINKS,
          omit: { token: true, tokenDigest: true, codeDigest: true },
        },
      },
    }),
    db.auditEntry.findMany({
      where: { target: id },
      orderBy: [{ at: 'desc' }, { sequence: 'desc' }],
      take: MAX_ACTIONS,
    }),
  ]);
  return submission ? { submission, acts } : undefined;
}

export type FoundTimeline = NonNullable<Awaited<ReturnType<typeof findTimeline>>>;

/**
 * Returns the stored domain events of a submission that were created at one of these times. There is no index from a
 * submission to its events, since it would cost every submission. Event ids begin with the time of creation, so the events of
 * those moments are read, at most 4,000 for each.
 */
export async function findEventsOf(
  pool: Pick<pg.Pool, 'query'>,
  id: SubmissionId,
  times: readonly Date[],
): Promise<EventEnvelope[]> {
  const spans = spansAround(times);
  const { rows } = await pool.query<{ envelope: Buffer }>({
    name: 'find-events-of-submission',
    text: `SELECT e.envelope FROM unnest($2::timestamptz[], $3::timestamptz[]) AS s(since, until)
            CROSS JOIN LATERAL (SELECT t.event_id, t.envelope, t.aggregate_id FROM domain_event t
                                 WHERE t.event_id >= event_id_floor(s.since) AND t.event_id < event_id_floor(s.until)
                                 ORDER BY t.event_id LIMIT ${MAX_READ_OF_A_SPAN}) AS e
            WHERE e.aggregate_id = $1 ORDER BY e.event_id LIMIT ${MAX_EVENTS}`,
    values: [id, spans.map(({ since }) => since), spans.map(({ until }) => until)],
  });
  return rows.map(({ envelope }) => fromBinary(EventEnvelopeSchema, envelope));
}

/**
 * Returns the time ranges in which an event of one of the times was created: in order, without overlap, the latest 40.
 */
function spansAround(times: readonly Date[]): { since: Date; until: Date }[] {
  const spans: { since: Date; until: Date }[] = [];
  for (const time of times.toSorted((one, other) => one.getTime() - other.getTime())) {
    const since = new Date(time.getTime() - EVENT_BEFORE_MS);
    const until = new Date(time.getTime() + EVENT_AFTER_MS);
    const last = spans.at(-1);
    if (last && since <= last.until) last.until = until;
    else spans.push({ since, until });
  }
  return spans.slice(-MAX_SPANS);
}
