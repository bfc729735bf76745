import { Environment } from '@supplier/proto/common/v1/status';

/** An environment as the database spells it. */
export type EnvironmentName = 'sandbox' | 'production';

/** The spelling of an environment; undefined when it is unspecified or not known to this build. */
export function environmentNameOf(environment: Environment): EnvironmentName | undefined {
  if (environment === Environment.SANDBOX) return 'sandbox';
  if (environment === Environment.PRODUCTION) return 'production';
  return undefined;
}

/** The environment with this name. */
export function environmentOf(name: EnvironmentName): Environment {
  return name === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION;
}
