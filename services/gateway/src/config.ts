import { BlockList, isIP } from 'node:net';
import {
  flag,
  httpUrl,
  loosened,
  port,
  postgresUrl,
  proxyRanges,
  readEnvironment,
  text,
  urlOf,
  whole,
} from '@supplier/lib/config';
import { type NatsAccess, natsAccess, natsVariables } from '@supplier/lib/nats-access';
import { type TlsFiles, tlsFiles, tlsVariables } from '@supplier/lib/tls';
import { Environment } from '@supplier/proto/common/v1/status';
import { z } from 'zod';
import type { ServedEnvironment } from './authentication/authenticate.ts';
import type { DefaultLimits } from './limits/limit.ts';

const ENVIRONMENTS: Record<'sandbox' | 'production', ServedEnvironment> = {
  sandbox: Environment.SANDBOX,
  production: Environment.PRODUCTION,
};

/** As many as an account's own limit may be. */
const MAX_REQUESTS = 10_000_000;
/** One listener takes no more connections than this in all. */
const MAX_CONNECTIONS = 10_000;
const YEAR_SECONDS = 31_536_000;
/** Two years: what lists of browsers ask for at most. */
const MAX_HSTS_SECONDS = 2 * YEAR_SECONDS;
const allowance = (standard: number) => whole(1, MAX_REQUESTS).default(standard);

const variables = {
  SSS_HOST: loosened(text().default('127.0.0.1'), (host, { SSS_ENVIRONMENT }) =>
    SSS_ENVIRONMENT === 'production' && isLocal(host)
      ? 'is a local address of a production gateway'
      : undefined,
  ),
  SSS_HTTP_PORT: port(),
  SSS_PAGES_PORT: port(),
  SSS_PRIVATE_PORT: port(),
  SSS_ENVIRONMENT: z.enum(['sandbox', 'production'], 'is neither sandbox nor production'),
  SSS_PRODUCTION_ENABLED: flag().default(false),
  SSS_ACCOUNT_URL: httpUrl(),
  SSS_SUBMISSION_URL: httpUrl(),
  SSS_DOCUMENT_URL: httpUrl(),
  ...natsVariables,
  SSS_SERVICE_TOKEN_DIR: text(),
  ...tlsVariables,
  SSS_CREDENTIAL_PREFIX: z
    .string()
    .regex(/^[a-z0-9]{1,16}$/, 'is not 1 to 16 lower-case letters or digits')
    .default('sss'),
  SSS_SCREENING_PROVIDER: z.string().min(1, 'is empty').max(100, 'is too long').default('screening_provider'),
  SSS_TRUSTED_PROXIES: proxyRanges().default([]),
  SSS_JOURNEY_URL: urlOf(['http:', 'https:']).optional(),
  SSS_LIMITS_DATABASE_URL: loosened(postgresUrl().optional(), (url) =>
    url === undefined ? 'is missing, so that each process counts by itself' : undefined,
  ),
  SSS_WRITES_PER_MINUTE: allowance(120),
  SSS_READS_PER_MINUTE: allowance(300),
  SSS_ADDRESS_PER_MINUTE: allowance(6_000),
  SSS_FAILED_AUTHENTICATIONS: allowance(10),
  SSS_CONNECTIONS_PER_ADDRESS: whole(1, MAX_CONNECTIONS).default(200),
  SSS_HSTS_MAX_AGE_SECONDS: whole(0, MAX_HSTS_SECONDS).optional(),
  SSS_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'is not a log level').default('info'),
};

export interface GatewayConfig {
  readonly host: string;
  /** Where suppliers call. */
  readonly httpPort: number;
  /** Reference and journey pages. */
  readonly pagesPort: number;
  /** Health and metrics, for whoever runs the gateway; not for the public. */
  readonly privatePort: number;
  readonly environment: ServedEnvironment;
  /** False on a production gateway until production is opened: it then answers nothing but 503. */
  readonly open: boolean;
  readonly accountUrl: string;
  readonly submissionUrl: string;
  readonly documentUrl: string;
  readonly nats: NatsAccess;
  readonly serviceTokenDir: string;
  /** What it presents to services, and whom it believes. */
  readonly tls: TlsFiles;
  readonly credentialPrefix: string;
  /** The one value that `credit_screening.provider` may have. */
  readonly screeningProvider: string;
  /** CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Where a journey link leads once it is used; without one, to a page of our own that says so. */
  readonly journeyUrl: string | undefined;
  /** Where all gateways count together; without one, each process counts by itself. */
  readonly limitsDatabaseUrl: string | undefined;
  readonly limits: DefaultLimits;
  /** Open connections to each public listener; of trusted proxies there may be more. */
  readonly connectionsPerAddress: number;
  /** For how long browsers reach the public hosts over TLS alone; 0 says nothing of it. */
  readonly hstsMaxAgeSeconds: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/** Reads the gateway's configuration. Throws a ConfigError of one line on any bad, missing or unknown variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): GatewayConfig {
  const values = readEnvironment(variables, env);
  const environment = ENVIRONMENTS[values.SSS_ENVIRONMENT];
  return {
    host: values.SSS_HOST,
    httpPort: values.SSS_HTTP_PORT,
    pagesPort: values.SSS_PAGES_PORT,
    privatePort: values.SSS_PRIVATE_PORT,
    environment,
    open: environment === Environment.SANDBOX || values.SSS_PRODUCTION_ENABLED,
    accountUrl: values.SSS_ACCOUNT_URL,
    submissionUrl: values.SSS_SUBMISSION_URL,
    documentUrl: values.SSS_DOCUMENT_URL,
    nats: natsAccess(values),
    serviceTokenDir: values.SSS_SERVICE_TOKEN_DIR,
    tls: tlsFiles(values),
    credentialPrefix: values.SSS_CREDENTIAL_PREFIX,
    screeningProvider: values.SSS_SCREENING_PROVIDER,
    trustedProxies: values.SSS_TRUSTED_PROXIES,
    journeyUrl: values.SSS_JOURNEY_URL,
    limitsDatabaseUrl: values.SSS_LIMITS_DATABASE_URL,
    limits: {
      environment,
      writesPerMinute: values.SSS_WRITES_PER_MINUTE,
      readsPerMinute: values.SSS_READS_PER_MINUTE,
      addressPerMinute: values.SSS_ADDRESS_PER_MINUTE,
      failedAuthentications: values.SSS_FAILED_AUTHENTICATIONS,
    },
    connectionsPerAddress: values.SSS_CONNECTIONS_PER_ADDRESS,
    // Nothing stands in front of a local stack that speaks TLS.
    hstsMaxAgeSeconds:
      values.SSS_HSTS_MAX_AGE_SECONDS ?? (values.SSS_DEPLOYMENT === 'local' ? 0 : YEAR_SECONDS),
    logLevel: values.SSS_LOG_LEVEL,
  };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine reaches the address. */
function isLocal(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
