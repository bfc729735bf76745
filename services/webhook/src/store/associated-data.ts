import type { AssociatedData } from '@supplier/lib/data/crypto';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';

// The associated data of each sealed value: which column of which row it belongs to. A value that was moved elsewhere
// does not open.

/** Of an endpoint's signing secret. */
export function secretAad(endpointId: EndpointId): AssociatedData {
  return { table: 'endpoint', column: 'sealed_secret', row: endpointId };
}

/** Of the frozen body of an event. */
export function bodyAad(eventId: EventId): AssociatedData {
  return { table: 'event', column: 'sealed_body', row: eventId };
}

/** Of the beginning of a receiver's answer to attempt `number`. */
export function answerHeadAad(eventId: EventId, number: number): AssociatedData {
  return { table: 'attempt', column: 'sealed_answer_head', row: `${eventId}/${number}` };
}
