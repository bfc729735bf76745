import { Environment } from '@supplier/proto/common/v1/status';

/** An environment as the database spells it. */
export type EnvironmentName = 'sandbox' | 'production';

/** The spelling of an environment. */
export function environmentNameOf(
  environment: Environment.SANDBOX | Environment.PRODUCTION,
): EnvironmentName {
  return environment === Environment.SANDBOX ? 'sandbox' : 'production';
}

/** The environment of a spelling. */
export function environmentOf(name: EnvironmentName): Environment.SANDBOX | Environment.PRODUCTION {
  return name === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION;
}
