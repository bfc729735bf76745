import type { ServiceWithDatabase } from '../../../deploy/local/services/process-table.ts';
import type { Bench } from '../bench.ts';

/** The state of a work queue in a table: its size and the time of its oldest row. */
export interface QueueState {
  readonly waiting: number;
  readonly oldestMs: number;
}

export type QueueStates = Readonly<Record<string, QueueState>>;

/** The maximum count: counting more would slow down the measured system. */
const COUNTED = 20_000;

/**
 * The queues on the path of a submission: rows, time since when each waits, and the order whose index leads to the oldest.
 */
const QUEUES: Readonly<
  Record<string, readonly [ServiceWithDatabase, rows: string, since: string, order: string]>
> = {
  'undecided leads': [
    'submission',
    'submission WHERE status = 1 AND NOT awaits_staff',
    'received_at',
    'received_at',
  ],
  'unpublished events': ['submission', 'outbox', 'created_at', 'seq'],
  'undelivered webhooks': [
    'webhook',
    'event WHERE next_attempt_at IS NOT NULL',
    'recorded_at',
    'next_attempt_at',
  ],
  'webhooks in progress': ['webhook', 'event WHERE lease_until IS NOT NULL', 'recorded_at', 'lease_until'],
};

/** Reads the state of the queues from the databases; each has a suitable index, so the cost is negligible. */
export async function lookAtQueues(bench: Bench): Promise<QueueStates> {
  const looking = Object.entries(QUEUES).map(async ([name, [service, rows, since, order]]) => {
    const answer = await bench.database(service).query<{ waiting: number; oldest: number | null }>({
      name: `queue: ${name}`,
      text: `SELECT (SELECT count(*)::int FROM (SELECT FROM ${rows} LIMIT ${COUNTED}) AS counted) AS waiting,
                    (SELECT extract(epoch FROM clock_timestamp() - ${since})::float8 * 1000 FROM ${rows}
                      ORDER BY ${order} LIMIT 1) AS oldest`,
    });
    const { waiting = 0, oldest = 0 } = answer.rows[0] ?? {};
    return [name, { waiting, oldestMs: Math.max(0, oldest ?? 0) }] as const;
  });
  return Object.fromEntries(await Promise.all(looking));
}
