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
  const { ring, wake, countRecorded } = context;
  return on(SubmissionStatusChangedSchema, async (event, applyOnce) => {
    const { change, ...told } = readChange(event, context.clock.now());
    const visible = await withHandoff(context, change, told);
    const body = envelopeBytes(change.eventId, formatTimestamp(change.occurredAt), renderStatus(visible));
    const recordings: Recording[] = [];
    await applyOnce(async (tx) => {
      recordings.push(await recordEvent(tx, change, () => ring.seal(body, bodyPlace(change.eventId))));
    });
    for (const recording of recordings) {
      countRecorded(recording.state);
      if (recording.state === 'pending') wake(recording.endpointId);
    }
  });
}

/** What an event of the submission service says, parsed. */
interface Told {
  readonly change: Change;
  readonly submission: SubmissionStatus;
  /** Whether a link belongs to the status. */
  readonly handedOff: boolean;
}

/** Parses the event into what is recorded. Throws when it breaks its contract. */
function readChange(
  { id, occurredAt, message }: DomainEvent<SubmissionStatusChanged>,
  recordedAt: Date,
): Told {
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
    handedOff: message.handedOff,
  };
}

/**
 * The status with its journey link. A link is a bearer secret and in no event, so it is asked for here, for exactly the
 * accepted submissions that have one.
 */
async function withHandoff(
  { handoffOf }: ServiceContext,
  { submissionId }: Change,
  { submission, handedOff }: Pick<Told, 'submission' | 'handedOff'>,
): Promise<SubmissionStatus> {
  if (submission.status !== Status.ACCEPTED || !handedOff) return submission;
  const handoff = await handoffOf(submissionId);
  return handoff ? { ...submission, handoff } : submission;
}
