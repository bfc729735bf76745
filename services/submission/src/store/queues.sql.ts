// SQL, because all queues are counted in one statement, up to a limit.
import { Environment } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import type pg from 'pg';

/** A queue visible to staff. */
export type KnownQueue = Exclude<Queue, Queue.UNSPECIFIED>;

/** Counting stops here, so that it does not add to a backlog. */
const MAX_COUNTED = 10_000;

interface QueueRows {
  readonly from: string;
  /** The predicate of a partial index. */
  readonly where: string;
  readonly submissionId: string;
  readonly since: string;
  /** The order of that index, longest waiting first. */
  readonly order: string;
}

/** The rows of each queue; submissions have the alias `w`, Applications `a`. */
const QUEUE_ROWS: Readonly<Record<KnownQueue, QueueRows>> = {
  [Queue.STAFF_DECISION]: {
    from: 'submission w',
    where: 'w.status = 1 AND w.awaits_staff',
    submissionId: 'w.id',
    since: 'w.received_at',
    order: 'w.received_at, w.id',
  },
  [Queue.STAFF_PRE_UNDERWRITING]: {
    from: 'application a',
    where: 'a.pre_underwriting = 1 AND a.pre_underwriting_at IS NOT NULL',
    submissionId: 'a.submission_id',
    since: 'a.pre_underwriting_at',
    order: 'a.pre_underwriting_at, a.submission_id',
  },
  [Queue.APPLICATION]: {
    from: 'submission w',
    where: `w.level = 1 AND w.status = 2 AND w.application_minting = 1 AND w.application_reference IS NULL
            AND w.enquiry IS NOT NULL AND w.work_parked_at IS NULL`,
    submissionId: 'w.id',
    since: 'w.decided_at',
    order: 'w.work_due_at, w.id',
  },
  [Queue.DECISION]: {
    from: 'submission w',
    where: 'w.status = 1 AND NOT w.awaits_staff AND w.work_parked_at IS NULL',
    submissionId: 'w.id',
    since: 'w.received_at',
    order: 'w.work_due_at, w.id',
  },
  [Queue.PARKED]: {
    from: 'submission w',
    where: 'w.work_parked_at IS NOT NULL',
    submissionId: 'w.id',
    since: 'w.work_parked_at',
    order: 'w.work_parked_at, w.id',
  },
  [Queue.NO_USABLE_CONTACT]: {
    from: 'submission w',
    where: 'w.status = 1 AND w.unidentified AND w.identifying IS NULL',
    submissionId: 'w.id',
    since: 'w.received_at',
    order: 'w.environment, w.received_at, w.id',
  },
};

/** All queues, in the order of their numbers. */
const ALL_QUEUES: readonly KnownQueue[] = Object.keys(QUEUE_ROWS).map(Number);

/** Returns SQL that tests whether the submission `w` is in the queue. */
export function isInQueue(queue: KnownQueue): string {
  const { from, where, submissionId } = QUEUE_ROWS[queue];
  // A scalar subquery instead of EXISTS, for which the planner would read the whole queue.
  return submissionId === 'w.id'
    ? `(${where})`
    : `coalesce((SELECT ${where} FROM ${from} WHERE ${submissionId} = w.id), false)`;
}

/** Returns SQL for the first `max` submissions of a queue, longest waiting first, with one column `id`. */
export function firstOfQueue(queue: KnownQueue, max: number): string {
  const { from, where, submissionId, order } = QUEUE_ROWS[queue];
  return `(SELECT ${submissionId} AS id FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ${max})`;
}

export interface QueueReading {
  readonly queue: KnownQueue;
  /** Up to 10,000. */
  readonly count: number;
  /** Whether there are more. */
  readonly isMore: boolean;
  /** When the oldest began to wait. */
  readonly oldestSince: Date | null;
}

const readingOf = (environment: Environment) =>
  ALL_QUEUES.map((queue) => {
    const { from, where, submissionId, since, order } = QUEUE_ROWS[queue];
    const environmentOf =
      submissionId === 'w.id'
        ? 'w.environment'
        : `(SELECT s.environment FROM submission s WHERE s.id = ${submissionId})`;
    const within = environment === Environment.UNSPECIFIED ? '' : `AND ${environmentOf} = ${environment}`;
    return `SELECT ${queue} AS queue, count(*)::int AS count, min(q.since) AS oldest
              FROM (SELECT ${since} AS since FROM ${from} WHERE ${where} ${within}
                     ORDER BY ${order} LIMIT ${MAX_COUNTED + 1}) AS q`;
  }).join('\nUNION ALL\n');

const READ_QUEUES = {
  [Environment.UNSPECIFIED]: readingOf(Environment.UNSPECIFIED),
  [Environment.SANDBOX]: readingOf(Environment.SANDBOX),
  [Environment.PRODUCTION]: readingOf(Environment.PRODUCTION),
} as const satisfies Record<Environment, string>;

/** Reads all queues of an environment in one statement of a few index scans, each of at most 10,001 rows. */
export async function readQueues(
  pool: Pick<pg.Pool, 'query'>,
  environment: Environment,
): Promise<QueueReading[]> {
  const { rows } = await pool.query<{ queue: KnownQueue; count: number; oldest: Date | null }>({
    name: `read-queues-${environment}`,
    text: READ_QUEUES[environment],
  });
  return rows
    .map(({ queue, count, oldest }) => ({
      queue,
      count: Math.min(count, MAX_COUNTED),
      isMore: count > MAX_COUNTED,
      oldestSince: oldest,
    }))
    .sort((one, other) => one.queue - other.queue);
}
