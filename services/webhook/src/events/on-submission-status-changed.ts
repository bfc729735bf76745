import { type DomainEvent, type EventHandler, on } from '@supplier/lib/event-bus';
import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/ids';
import { renderStatus } from '@supplier/lib/status-object';
import { formatTimestamp } from '@supplier/lib/time';
import { Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import {
  type SubmissionStatusChanged,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import type { ServiceContext } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { hasHadHandoff } from '../db/has-had-handoff.ts';
import { type Change, recordEvent } from '../db/record-event.ts';
import { envelopeBytes } from '../domain/envelope.ts';
import { environmentNameOf } from '../domain/environment.ts';
import { eventChangeOf } from '../domain/event-change.ts';
import type { Recording } from '../domain/recording.ts';
import { bodyPlace } from '../domain/sealed-places.ts';

/**
 * What the supplier can see of a submission has changed: freezes the body that tells of it and records it for delivery,
 * under the id of the domain event. Implements docs/contract.md, section 7.
 */
export function onSubmissionStatusChanged(context: ServiceContext): EventHandler<Transaction> {
  const { ring, wake } = context;
  return on(SubmissionStatusChangedSchema, async (event, applyOnce) => {
    const { change, submission } = readChange(event, context.clock.now());
    const visible = await withHandoff(context, change, submission);
    const body = envelopeBytes(change.eventId, formatTimestamp(change.occurredAt), renderStatus(visible));
    const recordings: Recording[] = [];
    await applyOnce(async (tx) => {
      recordings.push(await recordEvent(tx, change, () => ring.seal(body, bodyPlace(change.eventId))));
    });
    for (const recording of recordings) if (recording.state === 'pending') wake(recording.endpointId);
  });
}

/** Parses the event into what is recorded. Throws when it breaks its contract. */
function readChange(
  { id, occurredAt, message }: DomainEvent<SubmissionStatusChanged>,
  recordedAt: Date,
): { change: Change; submission: SubmissionStatus } {
  const { submission } = message;
  const submissionId = parseId<SubmissionId>(submission?.submissionId ?? '');
  const accountId = parseId<AccountId>(message.accountId);
  const environment = submission && environmentNameOf(submission.environment);
  const change = eventChangeOf(message.change);
  if (!submission || !submissionId || !accountId || !environment || !change) {
    throw new Error('a status change says whose submission changed, where, how, and to what');
  }
  return {
    change: { eventId: id, submissionId, accountId, environment, change, occurredAt, recordedAt },
    submission,
  };
}

/**
 * The status with its journey link. A link is a bearer secret and in no event, so it is asked for here; only accepted
 * submissions that were told of a link can have one, which spares all others the call.
 */
async function withHandoff(
  { db, handoffOf }: ServiceContext,
  { change, submissionId }: Change,
  submission: SubmissionStatus,
): Promise<SubmissionStatus> {
  if (submission.status !== Status.ACCEPTED) return submission;
  if (change !== 'handoff_available' && !(await hasHadHandoff(db, submissionId))) return submission;
  const handoff = await handoffOf(submissionId);
  return handoff ? { ...submission, handoff } : submission;
}
