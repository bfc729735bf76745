import { create } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentService, WaitingFor } from '@supplier/proto/document/v1/document';
import { type QueueLength, QueueLengthSchema } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Caller } from '../calls/caller.ts';
import { CommandFailure } from '../exit-codes.ts';
import { formatOf } from '../output/format.ts';
import { EMPTY, formatAt } from '../output/format-value.ts';
import { writeTable } from '../output/write-answer.ts';
import { type CommonFlags, inSession, type Runtime } from '../session.ts';

/** A queue, and the command that lists its items. */
interface Queue {
  readonly queue: string;
  readonly count: number;
  /** Whether there may be more than `count`. */
  readonly atLeast: boolean;
  readonly oldestSince: string;
  readonly listedBy: string;
}

const PAGE = 200;
/** Submissions whose billing has been pending for this long need attention. */
const PENDING_DAYS = 7;

const SOURCES: readonly {
  readonly service: string;
  readonly ask: (caller: Caller, environment: Environment) => Promise<Queue[]>;
}[] = [
  { service: 'submission', ask: submissionQueues },
  { service: 'document', ask: documentQueues },
  { service: 'billing', ask: billingQueues },
  { service: 'webhook', ask: webhookQueues },
];

export interface QueuesFlags extends CommonFlags {
  readonly environment: keyof typeof ENVIRONMENTS;
}

export const ENVIRONMENTS = { production: Environment.PRODUCTION, sandbox: Environment.SANDBOX };

/**
 * Shows the queues of every service for one environment, in one table. The queues of a service that fails are left out
 * with a note.
 */
export async function showQueues(flags: QueuesFlags, runtime: Runtime): Promise<void> {
  const { terminal } = runtime;
  const environment = ENVIRONMENTS[flags.environment];
  await inSession(flags, runtime, async ({ caller }) => {
    const answers = await Promise.all(
      SOURCES.map(async ({ service, ask }) => {
        try {
          return { service, queues: await ask(caller, environment) };
        } catch (error) {
          if (error instanceof CommandFailure) return { service, failure: error };
          throw error;
        }
      }),
    );
    const failures = answers.flatMap(({ failure }) => (failure ? [failure] : []));
    const [first] = failures;
    if (first && failures.length === SOURCES.length) throw first;
    const queues = answers.flatMap(({ service, queues = [] }) =>
      queues.map((queue) => ({ service, ...queue })),
    );
    const rows = (countOf: (queue: Queue) => readonly string[]) =>
      queues.map((one) => [one.service, one.queue, ...countOf(one), one.oldestSince || EMPTY, one.listedBy]);
    const wide = {
      heads: ['SERVICE', 'QUEUE', 'COUNT', 'OLDEST_SINCE', 'LISTED_BY'],
      rows: rows(({ count, atLeast }) => [`${count}${atLeast ? '+' : ''}`]),
    };
    // The commands that list the queues would take most of the width.
    const text = { heads: wide.heads.slice(0, -1), rows: wide.rows.map((row) => row.slice(0, -1)) };
    // Keep the count numeric, and put the qualifier in a separate column.
    const csv = {
      heads: ['SERVICE', 'QUEUE', 'COUNT', 'AT_LEAST', 'OLDEST_SINCE', 'LISTED_BY'],
      rows: rows(({ count, atLeast }) => [`${count}`, atLeast ? 'yes' : 'no']),
    };
    writeTable(
      { environment: flags.environment, queues: queues.map((queue) => ({ ...queue })) },
      { text, wide, csv },
      formatOf(flags),
      terminal,
    );
    for (const { message } of failures) terminal.note(`unavailable: ${message}`);
  });
}

async function submissionQueues(caller: Caller, environment: Environment): Promise<Queue[]> {
  const { getQueues } = SubmissionService.method;
  const { queues } = await caller.unary(getQueues, create(getQueues.input, { environment }));
  return queues.map((length) => ({
    queue: queueName(length),
    count: Number(length.count),
    atLeast: length.atLeast,
    oldestSince: timeOf(length.oldestSince),
    listedBy: `sss submissions list --queues ${queueName(length)} ${flagOf(environment)}`,
  }));
}

const queueName = (length: QueueLength) => formatAt(length, QueueLengthSchema, 'queue');

async function documentQueues(caller: Caller, environment: Environment): Promise<Queue[]> {
  const { listWaitingDocuments } = DocumentService.method;
  const queueOf = async (name: string, waitingFor: WaitingFor): Promise<Queue> => {
    const request = create(listWaitingDocuments.input, { environment, waitingFor, pageSize: PAGE });
    const { documents, nextPageToken } = await caller.unary(listWaitingDocuments, request);
    return {
      queue: name,
      count: documents.length,
      atLeast: nextPageToken !== '',
      // The service lists the documents finalized first at the top.
      oldestSince: timeOf(documents[0]?.finalizedAt),
      listedBy: `sss documents waiting --waiting-for ${name} ${flagOf(environment)}`,
    };
  };
  return [await queueOf('scan', WaitingFor.SCAN), await queueOf('staff', WaitingFor.STAFF)];
}

async function billingQueues(caller: Caller, environment: Environment): Promise<Queue[]> {
  const { listPendingBilling } = SubmissionService.method;
  const request = create(listPendingBilling.input, { environment, pendingDays: PENDING_DAYS, pageSize: 1 });
  const { count = 0, countIsAtLeast, oldestReceivedAt } = await caller.unary(listPendingBilling, request);
  return [
    {
      queue: `pending over ${PENDING_DAYS} days`,
      count,
      atLeast: countIsAtLeast,
      oldestSince: timeOf(oldestReceivedAt),
      listedBy: `sss billing pending --pending-days ${PENDING_DAYS} ${flagOf(environment)}`,
    },
  ];
}

async function webhookQueues(caller: Caller, environment: Environment): Promise<Queue[]> {
  const { listEndpoints } = WebhookService.method;
  const request = create(listEndpoints.input, { environment, failing: true, pageSize: PAGE });
  const { endpoints, nextPageToken } = await caller.unary(listEndpoints, request);
  const since = endpoints.map(({ endpoint }) => timeOf(endpoint?.failingSince)).filter(Boolean);
  return [
    {
      queue: 'failing endpoints',
      count: endpoints.length,
      atLeast: nextPageToken !== '',
      oldestSince: since.sort()[0] ?? '',
      listedBy: `sss endpoints list --failing ${flagOf(environment)}`,
    },
  ];
}

const flagOf = (environment: Environment) =>
  `--environment ${environment === Environment.PRODUCTION ? 'production' : 'sandbox'}`;

const timeOf = (time: Timestamp | undefined) =>
  time ? `${timestampDate(time).toISOString().slice(0, 19).replace('T', ' ')}Z` : '';
