import { fourEyes } from '@supplier/lib/governance/approvals';
import { byShortName, readEnvironment, setting } from '@supplier/lib/runtime/config';
import { serviceConfig, serviceVariables } from '@supplier/lib/runtime/service-runtime';
import { z } from 'zod';

export type AccountConfig = ReturnType<typeof readConfig>;

const prefix = z.string().regex(/^[a-z0-9]{1,16}$/, 'is not 1 to 16 lower-case letters and digits');

const own = {
  SSS_CREDENTIAL_PREFIX: setting(prefix.default('sss'), 'prefix of credentials, the same for gateways'),
  SSS_FOUR_EYES: setting(
    fourEyes(),
    '`required` or `off`: [second person’s approval](operating.md#actions-that-need-two-people), the same for account and submission',
  ),
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
