import { eventKeyVariables } from '@supplier/lib/events/event-bus';
import { fourEyes } from '@supplier/lib/governance/approvals';
import {
  byShortName,
  httpUrl,
  reachedUrl,
  readEnvironment,
  setting,
  whole,
} from '@supplier/lib/runtime/config';
import { serviceConfig, serviceVariables } from '@supplier/lib/runtime/service-runtime';
import { excludedValues } from './model/excluded-values.ts';

export type SubmissionConfig = ReturnType<typeof readConfig>;

const own = {
  ...eventKeyVariables,
  SSS_DOCUMENT_URL: setting(httpUrl(), 'the document service'),
  SSS_WEBHOOK_URL: setting(httpUrl(), 'the webhook service'),
  SSS_WORK_POOL: setting(whole(2, 50).default(8), 'connections to the database for background work'),
  SSS_DUPLICATE_WINDOW_DAYS: setting(
    whole(1, 3650).default(90),
    'days in which another submission of a customer is a duplicate',
  ),
  SSS_IGNORED_MATCH_VALUES: setting(
    excludedValues().default([]),
    'up to 500 values that identify no customer, such as `telephone:020 7946 0000,email:leads@broker.example`; see [match keys](operating.md#match-keys)',
  ),
  SSS_RETURN_WINDOW_DAYS: setting(whole(1, 3650).default(30), 'days in which a submission can be returned'),
  SSS_PAGES_URL: setting(reachedUrl(), 'public URL of the pages listener'),
  SSS_PRODUCTION_PAGES_URL: setting(httpUrl().optional(), 'the same for production, if different'),
  SSS_ARRIVAL_LINK_HOURS: setting(whole(1, 8_760).default(24), 'hours that an arrival link works'),
  SSS_HANDOFF_LINK_HOURS: setting(whole(1, 8_760).default(72), 'hours that a handoff link works'),
  SSS_ACCEPTED_RETENTION_DAYS: setting(
    whole(1, 36_500).default(2_190),
    'days that accepted applicants are kept; see [privacy](privacy.md#retention)',
  ),
  SSS_NOT_ACCEPTED_RETENTION_DAYS: setting(whole(1, 36_500).default(365), 'days that all others are kept'),
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
    pagesUrls: {
      sandbox: values.SSS_PAGES_URL,
      production: values.SSS_PRODUCTION_PAGES_URL ?? values.SSS_PAGES_URL,
    },
    retention: {
      acceptedDays: values.SSS_ACCEPTED_RETENTION_DAYS,
      notAcceptedDays: values.SSS_NOT_ACCEPTED_RETENTION_DAYS,
    },
  };
}
