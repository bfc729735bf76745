import { invalid } from '@supplier/lib/rpc/refusal';
import type { Environment } from '@supplier/proto/common/v1/status';
import { type EnvironmentName, environmentNameOf } from './model/environment.ts';

/** The environment in a request; throws VALIDATION_ERROR for any other value. */
export function requestedEnvironment(environment: Environment): EnvironmentName {
  const name = environmentNameOf(environment);
  if (!name) throw invalid('environment', 'must be sandbox or production');
  return name;
}
