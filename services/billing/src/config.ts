import { httpUrl, readEnvironment, setting } from '@supplier/lib/runtime/config';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@supplier/lib/runtime/service-runtime';

export interface BillingConfig extends ServiceConfig {
  /** Connect over HTTP/1.1 address of the account service. */
  readonly accountUrl: string;
  /** Connect over HTTP/1.1 address of the submission service. */
  readonly submissionUrl: string;
}

/** Environment variables of the process. */
export const variables = {
  ...serviceVariables,
  SSS_ACCOUNT_URL: setting(httpUrl(), 'the account service'),
  SSS_SUBMISSION_URL: setting(httpUrl(), 'the submission service'),
};

/** Reads the configuration of the process. Throws a ConfigError that names missing, invalid and unknown variables. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): BillingConfig {
  const values = readEnvironment(variables, env);
  return {
    ...serviceConfig(values),
    accountUrl: values.SSS_ACCOUNT_URL,
    submissionUrl: values.SSS_SUBMISSION_URL,
  };
}
