import { Environment } from '@supplier/proto/common/v1/status';
import { useEffect } from 'react';
import { environmentName } from './preferences.ts';

const NAMES = { [Environment.SANDBOX]: 'sandbox', [Environment.PRODUCTION]: 'production' } as const;
type Chosen = keyof typeof NAMES;

/** Returns the environment that the shell is set to: production until the person switches. */
export const useEnvironment = (): Chosen =>
  environmentName.use() === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION;

export const setEnvironment = (environment: Chosen): void => environmentName.set(NAMES[environment]);

/** Switches the shell to the environment of the open page, so that its colour is always right. */
export function useEnvironmentOf(environment: Environment | undefined): void {
  useEffect(() => {
    if (environment === Environment.SANDBOX || environment === Environment.PRODUCTION)
      setEnvironment(environment);
  }, [environment]);
}
