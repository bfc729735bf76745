import { httpUrl, readEnvironment } from '@supplier/lib/config';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@supplier/lib/service-runtime';

export interface BillingConfig extends ServiceConfig {
  /** Where the account service answers Connect over HTTP/1.1. */
  readonly accountUrl: string;
  /** Where the submission service answers Connect over HTTP/1.1. */
  readonly submissionUrl: string;
}

/** The configuration of the process. Throws a ConfigError that names what is missing, bad or unknown. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): BillingConfig {
  const variables = { ...serviceVariables, SSS_ACCOUNT_URL: httpUrl(), SSS_SUBMISSION_URL: httpUrl() };
  const values = readEnvironment(variables, env);
  return {
    ...serviceConfig(values),
    accountUrl: values.SSS_ACCOUNT_URL,
    submissionUrl: values.SSS_SUBMISSION_URL,
  };
}
