import { isClaimPath } from '@supplier/lib/rpc/claimed-roles';
import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import {
  ConfigError,
  fileText,
  httpUrl,
  port,
  postgresUrl,
  reachedUrl,
  readEnvironment,
  setting,
  text,
  whole,
} from '@supplier/lib/runtime/config';
import { type TlsFiles, tlsFiles, tlsVariables } from '@supplier/lib/runtime/tls';
import { z } from 'zod';
import type { SharedSessions } from './sessions/open-shared-store.ts';

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

/** Environment variables of the process. */
export const variables = {
  SSS_HOST: setting(text().default('127.0.0.1'), 'address to listen on'),
  SSS_HTTP_PORT: setting(port(), 'the console'),
  SSS_PRIVATE_PORT: setting(port(), 'probes and metrics without TLS, never public'),
  SSS_CONSOLE_URL: setting(reachedUrl(), 'public URL; calls from other origins are refused'),
  SSS_OIDC_ISSUER_URL: setting(httpUrl(), 'identity provider'),
  SSS_OIDC_CLIENT_ID: setting(text(), 'client ID'),
  SSS_OIDC_CLIENT_SECRET_FILE: setting(
    fileText().optional(),
    'file with the client secret; unset: a public client',
  ),
  SSS_OIDC_SCOPES: setting(
    text().default('openid'),
    'scopes, separated by spaces; `offline_access` keeps a login beyond its first token',
  ),
  SSS_ROLE_CLAIM: setting(
    text().refine(isClaimPath, 'is no claim such as roles or realm_access.roles').default('roles'),
    'claim with roles, or its path, as in the [issuers file](operating.md#issuers-of-tokens)',
  ),
  SSS_ACCOUNT_URL: setting(httpUrl(), 'the account service'),
  SSS_SUBMISSION_URL: setting(httpUrl(), 'the submission service'),
  SSS_DOCUMENT_URL: setting(httpUrl(), 'the document service'),
  SSS_BILLING_URL: setting(httpUrl(), 'the billing service'),
  SSS_WEBHOOK_URL: setting(httpUrl(), 'the webhook service'),
  ...tlsVariables,
  SSS_SESSIONS_DATABASE_URL: setting(
    postgresUrl().optional(),
    'database of sessions shared by all replicas; unset: in memory, for a single replica',
  ),
  SSS_KEY_RING_FILE: setting(
    text().optional(),
    'file with the [key ring](operating.md#keys), if sessions are shared',
  ),
  SSS_SESSION_MINUTES: setting(whole(1, DAY_MINUTES).default(480), 'maximum minutes of a login'),
  SSS_IDLE_MINUTES: setting(whole(1, DAY_MINUTES).default(60), 'minutes without input before logout'),
  SSS_CONNECTIONS_PER_ADDRESS: setting(
    whole(1, 1_000).default(512),
    'connections from one address; a proxy counts as one',
  ),
  SSS_LOG_LEVEL: setting(
    z.enum(['debug', 'info', 'warn', 'error'], 'is not a log level').default('info'),
    '`debug`, `info`, `warn` or `error`',
  ),
};

export interface ConsoleConfig {
  readonly host: string;
  readonly httpPort: number;
  readonly privatePort: number;
  /** The origin where people reach the console. */
  readonly url: URL;
  readonly oidc: OidcClient;
  readonly roleClaim: string;
  /** The address of each service's Connect endpoint over HTTP/1.1. */
  readonly targets: Readonly<Record<StaffService, string>>;
  readonly tls: TlsFiles;
  /** Undefined: sessions are kept in memory. */
  readonly sharedSessions: SharedSessions | undefined;
  readonly sessions: { readonly longestMs: number; readonly idleMs: number };
  readonly connectionsPerAddress: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/** The console's client registration at the identity provider. */
export interface OidcClient {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
}

/** Reads the console's configuration. Throws a one-line ConfigError for any invalid, missing or unknown variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ConsoleConfig {
  const values = readEnvironment(variables, env);
  return {
    host: values.SSS_HOST,
    httpPort: values.SSS_HTTP_PORT,
    privatePort: values.SSS_PRIVATE_PORT,
    url: new URL(values.SSS_CONSOLE_URL),
    oidc: {
      issuer: new URL(values.SSS_OIDC_ISSUER_URL),
      clientId: values.SSS_OIDC_CLIENT_ID,
      clientSecret: values.SSS_OIDC_CLIENT_SECRET_FILE?.trim(),
      scopes: values.SSS_OIDC_SCOPES,
    },
    roleClaim: values.SSS_ROLE_CLAIM,
    targets: {
      account: values.SSS_ACCOUNT_URL,
      submission: values.SSS_SUBMISSION_URL,
      document: values.SSS_DOCUMENT_URL,
      billing: values.SSS_BILLING_URL,
      webhook: values.SSS_WEBHOOK_URL,
    },
    tls: tlsFiles(values),
    sharedSessions: sharedSessionsOf(values.SSS_SESSIONS_DATABASE_URL, values.SSS_KEY_RING_FILE),
    sessions: {
      longestMs: values.SSS_SESSION_MINUTES * MINUTE_MS,
      idleMs: values.SSS_IDLE_MINUTES * MINUTE_MS,
    },
    connectionsPerAddress: values.SSS_CONNECTIONS_PER_ADDRESS,
    logLevel: values.SSS_LOG_LEVEL,
  };
}

function sharedSessionsOf(
  databaseUrl: string | undefined,
  keyRingFile: string | undefined,
): SharedSessions | undefined {
  if (databaseUrl !== undefined && keyRingFile !== undefined) return { databaseUrl, keyRingFile };
  if (databaseUrl === keyRingFile) return undefined;
  throw new ConfigError(
    'bad configuration: SSS_SESSIONS_DATABASE_URL and SSS_KEY_RING_FILE must be set together',
  );
}
