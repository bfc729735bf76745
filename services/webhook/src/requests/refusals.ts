import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type { EndpointRecord } from '../db/endpoints.ts';

/** NOT_FOUND: the account has no endpoint in the environment asked for. */
export function noEndpoint() {
  return refuse(RefusalCode.NOT_FOUND, 'The account has no endpoint in this environment.');
}

/** NOT_FOUND: nothing is recorded under the id asked for. */
export function noEvent() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such event.');
}

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
