import { X509Certificate } from 'node:crypto';
import { eventKeyVariables, streamVariables } from '@supplier/lib/events/event-bus';
import {
  byShortName,
  ConfigError,
  cidrList,
  fileText,
  httpUrl,
  loosened,
  readEnvironment,
  setting,
  whole,
} from '@supplier/lib/runtime/config';
import { serviceConfig, serviceVariables } from '@supplier/lib/runtime/service-runtime';
import { isCidr, isNat64Prefix } from './model/address-policy.ts';

export type WebhookConfig = ReturnType<typeof readConfig>;

/** At most as long as events are kept. */
const MAX_PAUSED_HOURS = 720;

const own = {
  ...eventKeyVariables,
  SSS_STREAM_MAX_AGE_DAYS: streamVariables.SSS_STREAM_MAX_AGE_DAYS,
  SSS_ACCOUNT_URL: setting(httpUrl(), 'the account service'),
  SSS_SUBMISSION_URL: setting(httpUrl(), 'the submission service'),
  SSS_ALLOWED_CIDRS: setting(
    loosened(
      cidrList()
        .refine((ranges) => ranges.every(isCidr), 'is not a list of CIDR ranges')
        .default([]),
      (ranges) => (ranges.length > 0 ? 'allows webhooks to non-public addresses' : undefined),
    ),
    'non-public ranges that webhooks may be sent to; local stack only',
  ),
  SSS_NAT64_PREFIXES: setting(
    cidrList()
      .refine(
        (prefixes) => prefixes.every(isNat64Prefix),
        'must be a list of IPv6 NAT64 prefixes: /32, /40, /48, /56, /64 or /96',
      )
      .default([]),
    "your network's NAT64 prefixes besides `64:ff9b::/96`",
  ),
  SSS_EXTRA_CA_FILE: setting(
    loosened(
      fileText().refine(isCertificate, 'must name a PEM certificate file'),
      () => 'trusts an additional certificate authority for receivers',
    ).optional(),
    'PEM certificate authorities of receivers; local stack only',
  ),
  // Longer than the week that a reconciliation may look back.
  SSS_RETENTION_DAYS: setting(
    whole(8, 3650).default(30),
    'days that ended events and attempts are kept; at least `SSS_EVENT_RETENTION_DAYS` + `SSS_STREAM_MAX_AGE_DAYS` + 2',
  ),
  SSS_RECONCILE_MINUTES: setting(
    whole(1, 1440).default(10),
    'minutes between reconciliations, by all replicas together',
  ),
  SSS_PAUSED_DELIVERY_HOURS: setting(
    whole(1, MAX_PAUSED_HOURS).default(24),
    'hours that a delivery waits for a disabled endpoint',
  ),
};

export const variables = { ...serviceVariables, ...own };

/**
 * Reads the configuration of the process. Throws a ConfigError that names every missing, invalid or unknown variable.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const values = readEnvironment(variables, env);
  const service = serviceConfig(values);
  requireRetention(values.SSS_RETENTION_DAYS, service.publishedDays, values.SSS_STREAM_MAX_AGE_DAYS);
  return {
    ...service,
    ...byShortName(own, values),
  };
}

/** Allows for clock differences and for partitions of whole days. */
const RESERVE_DAYS = 2;

/**
 * Throws unless events are kept for longer than a stream can repeat them: while they are kept, and then for as long as
 * the stream keeps them. With a shorter retention, a replay would be sent to suppliers again.
 */
function requireRetention(days: number, publishedDays: number, maxAgeDays: number): void {
  const least = publishedDays + maxAgeDays + RESERVE_DAYS;
  if (days >= least) return;
  throw new ConfigError(
    `bad configuration: SSS_RETENTION_DAYS must be at least ${least}: SSS_EVENT_RETENTION_DAYS, SSS_STREAM_MAX_AGE_DAYS and two days`,
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}
