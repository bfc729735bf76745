import { X509Certificate } from 'node:crypto';
import {
  ConfigError,
  cidrList,
  fileText,
  httpUrl,
  loosened,
  readEnvironment,
  whole,
} from '@supplier/lib/config';
import { retentionOf } from '@supplier/lib/outbox';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@supplier/lib/service-runtime';
import { isCidr } from './domain/address-policy.ts';

export interface WebhookConfig extends ServiceConfig {
  /** Where the account service answers Connect over HTTP/1.1. */
  readonly accountUrl: string;
  /** Where the submission service answers Connect over HTTP/1.1. */
  readonly submissionUrl: string;
  /** Addresses that may be posted to although they are not public. */
  readonly allowedCidrs: readonly string[];
  /** PEM of certificate authorities that receivers may use besides the built-in ones. */
  readonly extraCa: string | undefined;
  /** How long, in hours, a delivery may wait for its disabled endpoint. */
  readonly pausedDeliveryHours: number;
  /** How long, in days, events and their attempts are kept after they were settled. */
  readonly retentionDays: number;
  /** How often, in minutes, changes are reconciled by all replicas together. */
  readonly reconcileMinutes: number;
}

/** No longer than events are kept. */
const MAX_PAUSED_HOURS = 720;

/** The configuration of the process. Throws a ConfigError that names what is missing, bad or unknown. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): WebhookConfig {
  const variables = {
    ...serviceVariables,
    SSS_ACCOUNT_URL: httpUrl(),
    SSS_SUBMISSION_URL: httpUrl(),
    SSS_ALLOWED_CIDRS: loosened(
      cidrList()
        .refine((ranges) => ranges.every(isCidr), 'is not a list of CIDR ranges')
        .default([]),
      (ranges) => (ranges.length > 0 ? 'lets webhooks go to addresses that are not public' : undefined),
    ),
    SSS_EXTRA_CA_FILE: loosened(
      fileText().refine(isCertificate, 'names a file that is no PEM certificate'),
      () => 'lets receivers prove who they are by an authority of your own',
    ).optional(),
    // Longer than the week that a reconciliation may look back.
    SSS_RETENTION_DAYS: whole(8, 3650).default(30),
    SSS_RECONCILE_MINUTES: whole(1, 1440).default(10),
    SSS_PAUSED_DELIVERY_HOURS: whole(1, MAX_PAUSED_HOURS).default(24),
  };
  const values = readEnvironment(variables, env);
  const service = serviceConfig(values);
  requireRetention(values.SSS_RETENTION_DAYS, service.events);
  return {
    ...service,
    accountUrl: values.SSS_ACCOUNT_URL,
    submissionUrl: values.SSS_SUBMISSION_URL,
    allowedCidrs: values.SSS_ALLOWED_CIDRS,
    extraCa: values.SSS_EXTRA_CA_FILE,
    retentionDays: values.SSS_RETENTION_DAYS,
    reconcileMinutes: values.SSS_RECONCILE_MINUTES,
    pausedDeliveryHours: values.SSS_PAUSED_DELIVERY_HOURS,
  };
}

/**
 * Events are the inbox of this service: a change that comes again is known by its event, so that events are kept for as
 * long as an inbox is. A shorter time would have a replay sent to suppliers once more.
 */
function requireRetention(days: number, { publishedDays, maxAgeDays }: ServiceConfig['events']): void {
  const { inboxDays } = retentionOf(publishedDays, maxAgeDays);
  if (days >= inboxDays) return;
  throw new ConfigError(
    `bad configuration: SSS_RETENTION_DAYS must be at least ${inboxDays}: SSS_EVENT_RETENTION_DAYS, SSS_STREAM_MAX_AGE_DAYS and two days`,
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
