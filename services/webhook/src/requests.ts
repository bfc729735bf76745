import { invalid, RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { Environment } from '@supplier/proto/common/v1/status';
import { type EnvironmentName, environmentNameOf } from './model/event.ts';
import type { EndpointRecord } from './store/endpoints.ts';

/** Returns the environment in a request; throws VALIDATION_ERROR for any other value. */
export function requestedEnvironment(environment: Environment): EnvironmentName {
  const name = environmentNameOf(environment);
  if (!name) throw invalid('environment', 'must be sandbox or production');
  return name;
}

/** Returns a NOT_FOUND error: the account has no endpoint in the requested environment. */
export function noEndpoint() {
  return refuse(RefusalCode.NOT_FOUND, 'The account has no endpoint in this environment.');
}

/** Returns a NOT_FOUND error: no event is recorded under the requested id. */
export function noEvent() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such event.');
}

/** Returns the endpoint if events can be recorded for it now; otherwise throws WRONG_STATE. */
export function refuseUnlessActive(endpoint: EndpointRecord | undefined): EndpointRecord {
  if (!endpoint) {
    throw refuse(
      RefusalCode.WRONG_STATE,
      'The account has no endpoint in this environment. Create one first.',
    );
  }
  if (!endpoint.enabled) {
    throw refuse(RefusalCode.WRONG_STATE, 'The endpoint is disabled. Enable it first.');
  }
  return endpoint;
}
