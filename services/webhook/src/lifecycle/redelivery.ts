import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AuditActor } from '@supplier/lib/audit';
import type { EndpointId, SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { toTimestamp } from '@supplier/lib/time';
import type { RedeliverySchema } from '@supplier/proto/webhook/v1/redelivery';
import type { Context } from '../context.ts';
import { markRedelivered, tryRedelivery } from '../db/redelivery.ts';

export type Redelivery = Exclude<MessageInitShape<typeof RedeliverySchema>, { $typeName: string }>;

/**
 * Makes the submission service emit the present state of a submission again, and marks all of its events that did not
 * arrive as replaced by the new one. The new event is committed first: a call that is interrupted in between leaves the
 * old ones unmarked, and a repeated call emits the present state again, which is harmless. The other order could lose
 * it. `by` is the person who asked for it. Throws WRONG_STATE, with nothing marked, when the endpoint was disabled by the time of the new event.
 */
export async function redeliverSubmission(
  { db, restate }: Pick<Context, 'db' | 'restate'>,
  submissionId: SubmissionId,
  endpointId: EndpointId,
  by?: AuditActor,
): Promise<Redelivery> {
  const restated = await restate(submissionId, 'redelivery', by);
  if (!restated) throw new Error('invariant violated: no submission for an event on record');
  const redeliveredEventIds = await markRedelivered(db, { ...restated, submissionId, endpointId });
  if (redeliveredEventIds.length === 0) throw disabledMeanwhile();
  return {
    submissionId,
    eventId: restated.eventId,
    occurredAt: toTimestamp(restated.occurredAt),
    redeliveredEventIds,
  };
}

/** Each holds a connection to the database, and most of the pool must be left for other calls. */
const MAX_AT_ONCE = 2;

/** Runs the work when it is its turn to redeliver for an endpoint; throws SERVICE_UNAVAILABLE when it is not. */
export type InRedeliveryTurn = <Result>(
  endpointId: EndpointId,
  work: () => Promise<Result>,
) => Promise<Result>;

/** One redelivery of an endpoint at a time, in all processes, and two at a time in this one. There is no queue. */
export function redeliveryTurns({ db }: Pick<Context, 'db'>): InRedeliveryTurn {
  let running = 0;
  return async (endpointId, work) => {
    if (running >= MAX_AT_ONCE) throw redeliveryUnderWay();
    running += 1;
    try {
      const held = await tryRedelivery(db, endpointId, async () => ({ result: await work() }));
      if (!held) throw redeliveryUnderWay();
      return held.result;
    } finally {
      running -= 1;
    }
  };
}

/** WRONG_STATE: the endpoint was disabled between the check and the new event, which is dropped. */
function disabledMeanwhile() {
  return refuse(RefusalCode.WRONG_STATE, 'The endpoint was disabled meanwhile: enable it and try again.');
}

/** SERVICE_UNAVAILABLE: one redelivery of an endpoint at a time, and few in all. */
function redeliveryUnderWay() {
  return refuse(
    RefusalCode.SERVICE_UNAVAILABLE,
    'Another redelivery is under way: try again when it has ended.',
  );
}
