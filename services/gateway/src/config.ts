import { BlockList, isIP } from 'node:net';
import {
  byShortName,
  flag,
  httpUrl,
  loosened,
  port,
  postgresUrl,
  readEnvironment,
  setting,
  text,
  urlOf,
  whole,
} from '@supplier/lib/runtime/config';
import { natsAccess, natsVariables } from '@supplier/lib/runtime/nats-access';
import { tlsFiles, tlsVariables } from '@supplier/lib/runtime/tls';
import { Environment } from '@supplier/proto/common/v1/status';
import { z } from 'zod';
import type { ServedEnvironment } from './authentication/authenticate.ts';
import { proxyRanges } from './proxy-ranges.ts';

const ENVIRONMENTS: Record<'sandbox' | 'production', ServedEnvironment> = {
  sandbox: Environment.SANDBOX,
  production: Environment.PRODUCTION,
};

/** The maximum of an account's own limit. */
const MAX_REQUESTS = 10_000_000;
/** Maximum number of connections of one listener. */
const MAX_CONNECTIONS = 10_000;
const YEAR_SECONDS = 31_536_000;
/** Two years: the most that browser preload lists require. */
const MAX_HSTS_SECONDS = 2 * YEAR_SECONDS;
const allowance = (standard: number) => whole(1, MAX_REQUESTS).default(standard);

/**
 * Defines an address that the suppliers' guides show instead of an example. It is only displayed and never followed, so
 * a local stack can use plain `http`. The chart accepts only `https`.
 */
const publicUrl = (what: string) =>
  setting(
    z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
    `public URL of ${what} in the suppliers’ guides; unset: an example`,
  );

/** Environment variables, which are the configuration by shorter names. */
const own = {
  SSS_HOST: setting(
    loosened(text().default('127.0.0.1'), (host, { SSS_ENVIRONMENT }) =>
      SSS_ENVIRONMENT === 'production' && isLocal(host)
        ? 'is a local address of a production gateway'
        : undefined,
    ),
    'address to listen on',
  ),
  SSS_HTTP_PORT: setting(port(), 'the public API'),
  SSS_PAGES_PORT: setting(port(), 'suppliers’ site and journey pages'),
  SSS_PRIVATE_PORT: setting(port(), 'probes and metrics without TLS, never public'),
  SSS_ENVIRONMENT: setting(
    z.enum(['sandbox', 'production'], 'must be sandbox or production'),
    '`sandbox` or `production`',
  ),
  SSS_PRODUCTION_ENABLED: setting(
    flag().default(false),
    'opens a production gateway; until then it returns 503',
  ),
  SSS_ACCOUNT_URL: setting(httpUrl(), 'the account service'),
  SSS_SUBMISSION_URL: setting(httpUrl(), 'the submission service'),
  SSS_DOCUMENT_URL: setting(httpUrl(), 'the document service'),
  SSS_SERVICE_TOKEN_DIR: setting(text(), 'folder of the process’s own tokens, one file per audience'),
  SSS_CREDENTIAL_PREFIX: setting(
    z
      .string()
      .regex(/^[a-z0-9]{1,16}$/, 'is not 1 to 16 lower-case letters or digits')
      .default('sss'),
    'prefix of credentials, the same for the account service',
  ),
  SSS_SCREENING_PROVIDER: setting(
    z.string().min(1, 'is empty').max(100, 'is too long').default('screening_provider'),
    'the accepted value of `credit_screening.provider`',
  ),
  SSS_TRUSTED_PROXIES: setting(
    proxyRanges().default([]),
    'CIDR ranges of trusted proxies, separated by commas',
  ),
  SSS_JOURNEY_URL: setting(
    urlOf(['http:', 'https:']).optional(),
    'target of journey links; unset: a confirmation page',
  ),
  SSS_SANDBOX_URL: publicUrl('the sandbox'),
  SSS_PRODUCTION_URL: publicUrl('production'),
  SSS_PAGES_URL: publicUrl('the pages'),
  SSS_SUPPORT: setting(
    z
      .union([z.email(), z.url({ protocol: /^https$/ })], 'is neither an email address nor an https URL')
      .optional(),
    'support contact shown at `/support`: an email address or `https` URL',
  ),
  SSS_LIMITS_DATABASE_URL: setting(
    loosened(postgresUrl().optional(), (url) =>
      url === undefined ? 'is missing, so that each process counts by itself' : undefined,
    ),
    'database for limits shared by all gateways; required except in a local stack',
  ),
  SSS_WRITES_PER_MINUTE: setting(
    allowance(120),
    'writes of a credential, unless its account has its own limit',
  ),
  SSS_READS_PER_MINUTE: setting(
    allowance(300),
    'reads of a credential, unless its account has its own limit',
  ),
  SSS_ADDRESS_PER_MINUTE: setting(allowance(6_000), 'requests of an address; API and pages count separately'),
  SSS_FAILED_AUTHENTICATIONS: setting(allowance(10), 'failed authentications of an address in five minutes'),
  SSS_CONNECTIONS_PER_ADDRESS: setting(
    whole(1, MAX_CONNECTIONS).default(200),
    'connections of an address (IPv6: /64) to each public listener, except trusted proxies',
  ),
  SSS_HSTS_MAX_AGE_SECONDS: setting(
    whole(0, MAX_HSTS_SECONDS).optional(),
    '`Strict-Transport-Security` of API and pages; 0: no header; unset: a year, in a local stack 0',
  ),
  SSS_LOG_LEVEL: setting(
    z.enum(['debug', 'info', 'warn', 'error'], 'is not a log level').default('info'),
    '`debug`, `info`, `warn` or `error`',
  ),
};

export const variables = { ...own, ...natsVariables, ...tlsVariables };

export type GatewayConfig = ReturnType<typeof readConfig>;

/** Reads the gateway's configuration. Throws a ConfigError of one line for any invalid, missing or unknown variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const values = readEnvironment(variables, env);
  const environment = ENVIRONMENTS[values.SSS_ENVIRONMENT];
  return {
    ...byShortName(own, values),
    environment,
    /** False on a production gateway until production is enabled: it then returns 503 for everything. */
    open: environment === Environment.SANDBOX || values.SSS_PRODUCTION_ENABLED,
    nats: natsAccess(values),
    tls: tlsFiles(values),
    // A local stack has no TLS proxy in front of it.
    hstsMaxAgeSeconds:
      values.SSS_HSTS_MAX_AGE_SECONDS ?? (values.SSS_DEPLOYMENT === 'local' ? 0 : YEAR_SECONDS),
  };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Returns whether the address is reachable only from this machine. */
function isLocal(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
