import type { StreamConfig } from '@nats-io/jetstream';
import type { WithRequired } from '@nats-io/nats-core';

/** One stream for each service that publishes. Its relay creates and refills it. */
export const STREAMS = {
  account: 'ACCOUNT',
  billing: 'BILLING',
  document: 'DOCUMENT',
  submission: 'SUBMISSION',
  webhook: 'WEBHOOK',
} as const;

/** Where events go that a consumer gave up on. */
export const DEAD_LETTER_STREAM = 'DEAD_LETTER';

const NANOS_PER_DAY = 86_400_000_000_000;

/** `supplier.submission.v1.SubmissionReceived` is published on `supplier.submission.SubmissionReceived`. */
export function subjectOf(eventType: string): string {
  const [root, service, , name] = eventType.split('.');
  if (!root || !service || !name) throw new Error('an event type has four parts');
  return `${root}.${service}.${name}`;
}

/** The subject of events that `consumer` gave up on. */
export function deadLetterSubject(consumer: string): string {
  return `supplier-dead.${consumer}`;
}

/** Seven days of file storage; what is older lies in the outboxes no longer either. */
export function streamConfig(stream: string): WithRequired<Partial<StreamConfig>, 'name'> {
  const subjects =
    stream === DEAD_LETTER_STREAM ? [deadLetterSubject('>')] : [`supplier.${stream.toLowerCase()}.>`];
  return {
    name: stream,
    subjects,
    storage: 'file',
    retention: 'limits',
    discard: 'old',
    max_age: (stream === DEAD_LETTER_STREAM ? 30 : 7) * NANOS_PER_DAY,
    duplicate_window: 120_000_000_000,
  };
}
