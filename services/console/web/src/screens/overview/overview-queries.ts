import type { Environment } from '@supplier/proto/common/v1/status';
import type { GetQueuesResponse, Queue, QueueLength } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { queryOf, submissions } from '../../calls.ts';
import { lastDays } from '../../dates.ts';
import { useIntake } from '../../figures-query.ts';
import { type Live, useWatched } from '../../live.ts';

export const DAYS = 30;

/** The queues of an environment, updated live. */
export type Queues = Live<GetQueuesResponse>;

/** Returns the queues. A page opens this stream once, and hands the queues to its panels. */
export const useQueues = (environment: Environment, isAllowed: boolean): Queues =>
  useWatched({
    query: queryOf(SubmissionService.method.getQueues, { environment }),
    isAllowed,
    watch: (options) => submissions.watchQueues({ environment }, options),
  });

export const queueOf = (answer: GetQueuesResponse | undefined, queue: Queue): QueueLength | undefined =>
  answer?.queues.find((length) => length.queue === queue);

/** Returns the submissions of the last 30 days by day and supplier. */
export const useLatestIntake = (environment: Environment, isAllowed = true) =>
  useIntake({ environment, ...lastDays(DAYS) }, isAllowed);
