import { newEvent, type OutboxEvent } from '@supplier/lib/events/outbox';
import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  DeliveryExhaustedSchema,
  EndpointFailingSchema,
  EndpointRecoveredSchema,
} from '@supplier/proto/webhook/v1/events';
import { type EnvironmentName, environmentOf } from '../model/environment.ts';

interface EndpointFacts {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly endpointId: EndpointId;
}

/** The last attempt at an event has failed. An event ends once: this is the only domain event of its aggregate. */
export function deliveryExhausted(
  facts: EndpointFacts & {
    readonly eventId: EventId;
    readonly submissionId: SubmissionId;
    readonly exhaustedAt: Date;
  },
): OutboxEvent {
  const { accountId, endpointId, eventId, submissionId, exhaustedAt } = facts;
  return newEvent(
    DeliveryExhaustedSchema,
    {
      accountId,
      environment: environmentOf(facts.environment),
      endpointId,
      eventId,
      submissionId,
      exhaustedAt: toTimestamp(exhaustedAt),
    },
    { aggregateId: eventId, aggregateVersion: 1n, occurredAt: exhaustedAt },
  );
}

/** Every attempt at an endpoint has failed for long enough to notify operators. */
export function endpointFailing(
  facts: EndpointFacts & {
    readonly failingSince: Date;
    readonly failedAttempts: bigint;
    readonly notifiedAt: Date;
  },
): OutboxEvent {
  const { accountId, endpointId, failingSince, failedAttempts, notifiedAt } = facts;
  return newEvent(
    EndpointFailingSchema,
    {
      accountId,
      environment: environmentOf(facts.environment),
      endpointId,
      failingSince: toTimestamp(failingSince),
      failedAttempts,
    },
    { aggregateId: endpointId, aggregateVersion: versionAt(notifiedAt), occurredAt: notifiedAt },
  );
}

/** An endpoint that operators were notified of has accepted an event. */
export function endpointRecovered(
  facts: EndpointFacts & { readonly failingSince: Date; readonly recoveredAt: Date },
): OutboxEvent {
  const { accountId, endpointId, failingSince, recoveredAt } = facts;
  return newEvent(
    EndpointRecoveredSchema,
    {
      accountId,
      environment: environmentOf(facts.environment),
      endpointId,
      failingSince: toTimestamp(failingSince),
      recoveredAt: toTimestamp(recoveredAt),
    },
    { aggregateId: endpointId, aggregateVersion: versionAt(recoveredAt), occurredAt: recoveredAt },
  );
}

/** There is no counter for the events of an endpoint; their times rise, which is enough for a version. */
function versionAt(time: Date): bigint {
  return BigInt(time.getTime());
}
