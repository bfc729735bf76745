import type { ConnectError } from '@connectrpc/connect';
import { parseId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type { Environment } from '@supplier/proto/common/v1/status';
import { type EnvironmentName, environmentNameOf } from '../domain/environment.ts';

/** VALIDATION_ERROR about one field of the request. */
export function invalid(path: string, message: string): ConnectError {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The request is not valid.', {
    violations: [{ path, message }],
  });
}

/** The id in a request's field; throws VALIDATION_ERROR when it is none. */
export function requestedId<Id extends string>(path: string, text: string): Id {
  const id = parseId<Id>(text);
  if (!id) throw invalid(path, 'must be a UUID');
  return id;
}

/** The environment in a request; throws VALIDATION_ERROR when it is none. */
export function requestedEnvironment(environment: Environment): EnvironmentName {
  const name = environmentNameOf(environment);
  if (!name) throw invalid('environment', 'must be sandbox or production');
  return name;
}
