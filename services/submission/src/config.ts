import { type FourEyes, fourEyes } from '@supplier/lib/approvals';
import { httpUrl, readEnvironment, whole } from '@supplier/lib/config';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@supplier/lib/service-runtime';
import type { NobodysValue } from './domain/match-keys.ts';
import type { RetentionPeriods } from './domain/retention.ts';
import { nobodysValues } from './nobodys-values.ts';

export interface SubmissionConfig extends ServiceConfig {
  readonly billingUrl: string;
  readonly documentUrl: string;
  readonly webhookUrl: string;
  /** Maximum of connections to PostgreSQL for work in the background, besides those for callers. */
  readonly workPool: number;
  /** How far back another submission of the same customer makes this one a duplicate. */
  readonly duplicateWindowDays: number;
  /** What names no customer, whoever states it. */
  readonly nobodysValues: readonly NobodysValue[];
  /** How long after its decision a lead can be returned. */
  readonly returnWindowDays: number;
  /** Public base URLs of the pages listeners, on which journey links lie. */
  readonly pagesUrls: { readonly sandbox: string; readonly production: string };
  /** How long a journey link works, by its kind. */
  readonly arrivalLinkHours: number;
  readonly handoffLinkHours: number;
  /** How long applicants are kept. */
  readonly retention: RetentionPeriods;
  /** Whether putting a policy in force and an erasure take two people. */
  readonly fourEyes: FourEyes;
}

/** The configuration of the process. Throws a ConfigError that names what is missing, bad or unknown. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): SubmissionConfig {
  const values = readEnvironment(
    {
      ...serviceVariables,
      SSS_BILLING_URL: httpUrl(),
      SSS_DOCUMENT_URL: httpUrl(),
      SSS_WEBHOOK_URL: httpUrl(),
      SSS_WORK_POOL: whole(2, 50).default(8),
      SSS_DUPLICATE_WINDOW_DAYS: whole(1, 3650).default(90),
      SSS_NOBODYS_VALUES: nobodysValues().default([]),
      SSS_RETURN_WINDOW_DAYS: whole(1, 3650).default(30),
      SSS_PAGES_URL: httpUrl(),
      SSS_PRODUCTION_PAGES_URL: httpUrl().optional(),
      SSS_ARRIVAL_LINK_HOURS: whole(1, 8_760).default(24),
      SSS_HANDOFF_LINK_HOURS: whole(1, 8_760).default(72),
      SSS_ACCEPTED_RETENTION_DAYS: whole(1, 36_500).default(2_190),
      SSS_NOT_ACCEPTED_RETENTION_DAYS: whole(1, 36_500).default(365),
      SSS_FOUR_EYES: fourEyes(),
    },
    env,
  );
  return {
    ...serviceConfig(values),
    billingUrl: values.SSS_BILLING_URL,
    documentUrl: values.SSS_DOCUMENT_URL,
    webhookUrl: values.SSS_WEBHOOK_URL,
    workPool: values.SSS_WORK_POOL,
    duplicateWindowDays: values.SSS_DUPLICATE_WINDOW_DAYS,
    nobodysValues: values.SSS_NOBODYS_VALUES,
    returnWindowDays: values.SSS_RETURN_WINDOW_DAYS,
    pagesUrls: {
      sandbox: values.SSS_PAGES_URL,
      production: values.SSS_PRODUCTION_PAGES_URL ?? values.SSS_PAGES_URL,
    },
    arrivalLinkHours: values.SSS_ARRIVAL_LINK_HOURS,
    handoffLinkHours: values.SSS_HANDOFF_LINK_HOURS,
    retention: {
      acceptedDays: values.SSS_ACCEPTED_RETENTION_DAYS,
      notAcceptedDays: values.SSS_NOT_ACCEPTED_RETENTION_DAYS,
    },
    fourEyes: values.SSS_FOUR_EYES,
  };
}
