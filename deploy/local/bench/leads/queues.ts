import type { ServiceWithDatabase } from '../../services/process-table.ts';
import { reasonOf } from '../../terminal.ts';
import type { Workbench } from '../workbench.ts';
import { withinMs } from './within.ts';

/** Work that stands in a table: how much, and since when the oldest of it. */
export interface QueueState {
  readonly waiting: number;
  readonly oldestMs: number;
}

export type QueueStates = Readonly<Record<string, QueueState>>;

/** Beyond this nobody counts: it would take the time of what is measured. */
const COUNTED = 20_000;
const STATEMENT_MS = 10_000;

interface Queue {
  readonly name: string;
  readonly service: ServiceWithDatabase;
  readonly table: string;
  readonly where: string;
  /** The column that says since when a row waits, and the one whose index leads to the oldest. */
  readonly since: string;
  readonly order: string;
}

/** The queues on the way of a lead. Each has a partial index, so that looking at it costs next to nothing. */
const queues: readonly Queue[] = [
  {
    name: 'undecided leads',
    service: 'submission',
    table: 'submission',
    where: 'status = 1 AND NOT awaits_staff',
    since: 'received_at',
    order: 'received_at',
  },
  ...(['submission', 'billing'] as const).map((service) => ({
    name: `unpublished events of ${service}`,
    service,
    table: 'outbox',
    // What is published moves to another table.
    where: 'true',
    since: 'created_at',
    order: 'seq',
  })),
  {
    name: 'undelivered webhooks',
    service: 'webhook',
    table: 'event',
    where: 'next_attempt_at IS NOT NULL',
    since: 'recorded_at',
    order: 'next_attempt_at',
  },
  {
    name: 'webhooks under way',
    service: 'webhook',
    table: 'event',
    where: 'lease_until IS NOT NULL',
    since: 'recorded_at',
    order: 'lease_until',
  },
];

/** Looks at queues by way of the databases. */
export type LookAtQueues = () => Promise<QueueStates>;

/** Throws when a queue is not where it is looked for. */
export async function queueProbe(bench: Workbench): Promise<LookAtQueues> {
  const look: LookAtQueues = async () =>
    Object.fromEntries(
      await Promise.all(queues.map(async (queue) => [queue.name, await lookAt(bench, queue)] as const)),
    );
  await look();
  return look;
}

async function lookAt(bench: Workbench, queue: Queue): Promise<QueueState> {
  const { name, service, table, where, since, order } = queue;
  try {
    const looking = bench.database(service).query<{ waiting: number; oldest: number | null }>({
      name: `queue: ${name}`,
      text: `SELECT (SELECT count(*)::int FROM (SELECT FROM "${table}" WHERE ${where} LIMIT ${COUNTED}) AS counted)
                      AS waiting,
                    (SELECT extract(epoch FROM clock_timestamp() - ${since})::float8 * 1000 FROM "${table}"
                      WHERE ${where} ORDER BY ${order} LIMIT 1) AS oldest`,
    });
    const { rows } = await withinMs(STATEMENT_MS, looking, 'the database does not answer');
    return { waiting: rows[0]?.waiting ?? 0, oldestMs: Math.max(0, rows[0]?.oldest ?? 0) };
  } catch (error) {
    throw new Error(`the queue of ${name} cannot be looked at: ${reasonOf(error)}`, { cause: error });
  }
}

export const waitingIn = (states: QueueStates): number =>
  Object.values(states).reduce((sum, { waiting }) => sum + waiting, 0);
