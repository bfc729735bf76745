import { eventKeyVariables } from '@supplier/lib/events/event-bus';
import { byShortName, httpUrl, readEnvironment, setting } from '@supplier/lib/runtime/config';
import { serviceConfig, serviceVariables } from '@supplier/lib/runtime/service-runtime';

export type BillingConfig = ReturnType<typeof readConfig>;

const own = {
  ...eventKeyVariables,
  SSS_ACCOUNT_URL: setting(httpUrl(), 'the account service'),
  SSS_SUBMISSION_URL: setting(httpUrl(), 'the submission service'),
};

export const variables = { ...serviceVariables, ...own };

/** Reads the configuration of the process. Throws a ConfigError that names missing, invalid and unknown variables. */
export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const values = readEnvironment(variables, env);
  return {
    ...serviceConfig(values),
    ...byShortName(own, values),
  };
}
