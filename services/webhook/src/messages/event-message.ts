import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/time';
import { type AttemptSchema, DeliveryState, type EventSchema } from '@supplier/proto/webhook/v1/webhook';
import type { AttemptRecord, EventRecord } from '../db/list-events.ts';

const STATES: Record<EventRecord['state'], DeliveryState> = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  exhausted: DeliveryState.EXHAUSTED,
  superseded: DeliveryState.SUPERSEDED,
  expired: DeliveryState.EXPIRED,
};

/** An event with its attempts as it is answered. */
export function eventMessage(event: EventRecord): MessageInitShape<typeof EventSchema> {
  return {
    eventId: event.eventId,
    submissionId: event.submissionId,
    occurredAt: toTimestamp(event.occurredAt),
    state: STATES[event.state],
    ...(event.nextAttemptAt ? { nextAttemptAt: toTimestamp(event.nextAttemptAt) } : {}),
    attempts: event.attempts.map(attemptMessage),
  };
}

function attemptMessage(attempt: AttemptRecord): MessageInitShape<typeof AttemptSchema> {
  return {
    number: attempt.number,
    startedAt: toTimestamp(attempt.startedAt),
    ...(attempt.endedAt ? { endedAt: toTimestamp(attempt.endedAt) } : {}),
    ...(attempt.statusCode === undefined ? {} : { statusCode: attempt.statusCode }),
    errorClass: attempt.error ?? '',
    keyFingerprint: attempt.keyFingerprint,
  };
}
