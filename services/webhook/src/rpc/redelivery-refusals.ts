import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type { EndpointRecord } from '../db/endpoints.ts';

/** The endpoint itself when events can be recorded for it now; otherwise throws WRONG_STATE. */
export function refuseUnlessActive(endpoint: EndpointRecord | undefined): EndpointRecord {
  if (!endpoint) {
    throw refuse(
      RefusalCode.WRONG_STATE,
      'The account has no endpoint in this environment: nothing can be sent.',
    );
  }
  if (!endpoint.enabled) {
    throw refuse(
      RefusalCode.WRONG_STATE,
      'The endpoint is disabled: enable it before anything is sent again.',
    );
  }
  return endpoint;
}

/** WRONG_STATE: the endpoint was disabled between the check and the new event, which is dropped. */
export function disabledMeanwhile() {
  return refuse(RefusalCode.WRONG_STATE, 'The endpoint was disabled meanwhile: enable it and try again.');
}

/** SERVICE_UNAVAILABLE: one redelivery of an endpoint at a time, and few in all. */
export function redeliveryUnderWay() {
  return refuse(
    RefusalCode.SERVICE_UNAVAILABLE,
    'Another redelivery is under way: try again when it has ended.',
  );
}
