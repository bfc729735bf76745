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
  readonly environment: string;
  /** When the wait began. Followed by the id of the submission, this is the order of that index. */
  readonly since: string;
}

const OF_SUBMISSION = { from: 'submission w', submissionId: 'w.id', environment: 'w.environment' };

/** The rows of each queue; submissions have the alias `w`, Applications `a`. */
const QUEUE_ROWS: Readonly<Record<KnownQueue, QueueRows>> = {
  [Queue.STAFF_DECISION]: {
    ...OF_SUBMISSION,
    where: 'w.status = 1 AND w.awaits_staff',
    since: 'w.received_at',
  },
  [Queue.STAFF_PRE_UNDERWRITING]: {
    from: 'application a',
    where: 'a.pre_underwriting = 1 AND a.pre_underwriting_at IS NOT NULL',
    submissionId: 'a.submission_id',
    environment: '(SELECT s.environment FROM submission s WHERE s.id = a.submission_id)',
    since: 'a.pre_underwriting_at',
  },
  [Queue.APPLICATION]: {
    ...OF_SUBMISSION,
    where: `w.level = 1 AND w.status = 2 AND w.application_minting = 1 AND w.application_reference IS NULL
            AND w.enquiry IS NOT NULL AND w.work_parked_at IS NULL`,
    since: 'w.decided_at',
  },
  [Queue.DECISION]: {
    ...OF_SUBMISSION,
    where: 'w.status = 1 AND NOT w.awaits_staff AND w.work_parked_at IS NULL',
    since: 'w.received_at',
  },
  [Queue.PARKED]: {
    ...OF_SUBMISSION,
    where: 'w.work_parked_at IS NOT NULL',
    since: 'w.work_parked_at',
  },
  [Queue.NO_USABLE_CONTACT]: {
    ...OF_SUBMISSION,
    where: 'w.status = 1 AND w.unidentified AND w.identifying IS NULL',
    since: 'w.received_at',
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

/** Whether the submissions of a queue wait since their receipt, so that the first of the queue has the lowest id. */
export const waitsSinceReceipt = (queue: KnownQueue): boolean => QUEUE_ROWS[queue].since === 'w.received_at';

/**
 * Returns SQL for the first `max` submissions of a queue in each environment, longest waiting first, with the columns
 * `id` and `since`.
 */
export function firstOfQueue(queue: KnownQueue, within: Environment | undefined, max: number): string {
  const { from, where, submissionId, environment, since } = QUEUE_ROWS[queue];
  return environmentsOf(within)
    .map(
      (
        one,
      ) => `(SELECT ${submissionId} AS id, ${since} AS since FROM ${from} WHERE ${where} AND ${environment} = ${one}
                  ORDER BY ${since}, ${submissionId} LIMIT ${max})`,
    )
    .join(' UNION ALL ');
}

const environmentsOf = (within: Environment = Environment.UNSPECIFIED): readonly Environment[] =>
  within === Environment.UNSPECIFIED ? [Environment.SANDBOX, Environment.PRODUCTION] : [within];

export interface QueueReading {
  readonly queue: KnownQueue;
  /** Up to 10,000. */
  readonly count: number;
  /** Whether there are more. */
  readonly isMore: boolean;
  /** When the oldest began to wait. */
  readonly oldestSince: Date | null;
}

/** Reads all queues of an environment in one statement of a few index scans, each of at most 10,001 rows. */
export async function readQueues(
  pool: Pick<pg.Pool, 'query'>,
  environment: Environment,
): Promise<QueueReading[]> {
  const { rows } = await pool.query<{ queue: KnownQueue; count: number; oldest: Date | null }>({
    name: `read-queues-${environment}`,
    text: ALL_QUEUES.map(
      (queue) => `SELECT ${queue} AS queue, count(*)::int AS count, min(q.since) AS oldest
                    FROM (${firstOfQueue(queue, environment, MAX_COUNTED + 1)}) AS q`,
    ).join(' UNION ALL '),
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
