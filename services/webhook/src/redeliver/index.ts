import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AuditActor } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { EndpointId, SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import type { RedeliverySchema } from '@supplier/proto/webhook/v1/redelivery';
import type { Context } from '../context.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import { markRedelivered, tryRedelivery } from './redelivery.sql.ts';

export type Redelivery = Exclude<MessageInitShape<typeof RedeliverySchema>, { $typeName: string }>;

/** The call that redelivers a submission; empty when the service acts automatically. */
export interface RedeliveryCall {
  /** The person who requested it. */
  readonly by?: AuditActor;
  /** The same in each repeated call. */
  readonly key?: string | undefined;
  /** Replaces the submission's events that were delivered before this time, too. */
  readonly deliveredUntil?: Date | undefined;
  /** Runs in the transaction that marks the events. */
  readonly end?: (redelivery: Redelivery, tx: Transaction) => Promise<unknown>;
}

/**
 * Makes the submission service emit the current state of a submission again, and marks all of its undelivered events as
 * replaced by the new one. The new event is committed first: a call that is interrupted in between leaves the old ones
 * unmarked, and a repeated call emits the current state again, which is harmless, or gets the same event with the same
 * key. The reverse order could lose it. Throws WRONG_STATE, with nothing marked, when the endpoint was disabled by the
 * time of the new event.
 */
export async function redeliverSubmission(
  { db, restate }: Pick<Context, 'db' | 'restate'>,
  submissionId: SubmissionId,
  endpointId: EndpointId,
  { by, key, deliveredUntil, end }: RedeliveryCall = {},
): Promise<Redelivery> {
  const restated = await restate(submissionId, 'redelivery', by, key);
  if (!restated) throw new Error('invariant violated: no submission for an event on record');
  return inTransaction(db, async (tx) => {
    const redeliveredEventIds = await markRedelivered(
      tx,
      { ...restated, submissionId, endpointId },
      deliveredUntil,
    );
    if (redeliveredEventIds.length === 0) throw disabledMeanwhile();
    const { eventId } = restated;
    const occurredAt = toTimestamp(restated.occurredAt);
    const redelivery = { submissionId, eventId, occurredAt, redeliveredEventIds };
    await end?.(redelivery, tx);
    return redelivery;
  });
}

/** Each redelivery holds a database connection, and most of the pool must be left for other calls. */
const MAX_CONCURRENT = 2;

/**
 * Runs the work if no other redelivery of the endpoint runs and this process has a free place; otherwise throws
 * SERVICE_UNAVAILABLE.
 */
export type InRedeliveryTurn = <Result>(
  endpointId: EndpointId,
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * Allows one redelivery of an endpoint at a time across all processes, and two in total in this process. There is no
 * queue.
 */
export function redeliveryTurns({ pool }: Pick<Context, 'pool'>): InRedeliveryTurn {
  let running = 0;
  return async (endpointId, work) => {
    if (running >= MAX_CONCURRENT) throw redeliveryUnderWay();
    running += 1;
    try {
      const held = await tryRedelivery(pool, endpointId, async () => ({ result: await work() }));
      if (!held) throw redeliveryUnderWay();
      return held.result;
    } finally {
      running -= 1;
    }
  };
}

/** WRONG_STATE: the endpoint was disabled between the check and the new event, which is dropped. */
function disabledMeanwhile() {
  return refuse(
    RefusalCode.WRONG_STATE,
    'The endpoint has been disabled in the meantime. Enable it and try again.',
  );
}

/** SERVICE_UNAVAILABLE: one redelivery of an endpoint at a time, and few in total. */
function redeliveryUnderWay() {
  return refuse(
    RefusalCode.SERVICE_UNAVAILABLE,
    'Another redelivery is in progress. Try again when it has ended.',
  );
}
