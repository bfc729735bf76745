import { readEnvironment } from '@supplier/lib/config';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@supplier/lib/service-runtime';

/** The configuration of the process. Throws a ConfigError that names what is missing, bad or unknown. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ServiceConfig {
  return serviceConfig(readEnvironment(serviceVariables, env));
}
