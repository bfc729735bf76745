import type { MessageInitShape } from '@bufbuild/protobuf';
import type { EndpointId, SubmissionId } from '@supplier/lib/ids';
import { toTimestamp } from '@supplier/lib/time';
import type { RedeliverySchema } from '@supplier/proto/webhook/v1/webhook';
import type { ServiceContext } from '../context.ts';
import { markRedelivered } from '../db/redelivery.ts';
import { disabledMeanwhile } from './redelivery-refusals.ts';

export type Redelivery = Exclude<MessageInitShape<typeof RedeliverySchema>, { $typeName: string }>;

/**
 * Has the present state of a submission told again, and marks all of its events that did not arrive as stood in for by
 * the new one. The new event is committed first: whoever is interrupted in between leaves the old ones unmarked, and a
 * repeated call tells the present state once more, which is harmless. The other order could lose it.
 * Throws WRONG_STATE, with nothing marked, when the endpoint was disabled by the time of the new event.
 */
export async function redeliverSubmission(
  { db, restate }: Pick<ServiceContext, 'db' | 'restate'>,
  submissionId: SubmissionId,
  endpointId: EndpointId,
): Promise<Redelivery> {
  const told = await restate(submissionId, 'redelivery');
  if (!told) throw new Error('an event tells of a submission that exists');
  const redeliveredEventIds = await markRedelivered(db, { ...told, submissionId, endpointId });
  if (redeliveredEventIds.length === 0) throw disabledMeanwhile();
  return {
    submissionId,
    eventId: told.eventId,
    occurredAt: toTimestamp(told.occurredAt),
    redeliveredEventIds,
  };
}
