import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { EndpointRecord } from './store/endpoints.ts';

/** NOT_FOUND: the account has no endpoint in the requested environment. */
export function noEndpoint() {
  return refuse(RefusalCode.NOT_FOUND, 'The account has no endpoint in this environment.');
}

/** NOT_FOUND: no event is recorded under the requested id. */
export function noEvent() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such event.');
}

/** Returns the endpoint if events can be recorded for it now; otherwise throws WRONG_STATE. */
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
