import type { Place } from '@supplier/lib/crypto';
import type { EndpointId, EventId } from '@supplier/lib/ids';

/** Where a signing secret lies. */
export function secretPlace(endpointId: EndpointId): Place {
  return { table: 'endpoint', column: 'sealed_secret', row: endpointId };
}

/** Where the frozen body of an event lies. */
export function bodyPlace(eventId: EventId): Place {
  return { table: 'event', column: 'sealed_body', row: eventId };
}

/** Where the beginning of a receiver's answer lies. */
export function answerHeadPlace(eventId: EventId, number: number): Place {
  return { table: 'attempt', column: 'sealed_answer_head', row: `${eventId}/${number}` };
}
