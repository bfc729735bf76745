import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, loosened, port, postgresUrl, setting, text, whole } from '../config/index.ts';
import { natsAccess, natsVariables } from '../nats-access/index.ts';
import { type NamedFile, named, type TlsFiles, tlsFiles, tlsVariables } from '../tls/index.ts';

/** Share of the database connections: a staff call may use two. */
const STAFF_SHARE = 0.4;

/** The variables of every internal process. A process adds its own to these and reads them all together. */
export const processVariables = {
  SSS_HOST: setting(text().default('127.0.0.1'), 'address to listen on'),
  ...tlsVariables,
  SSS_TLS_CERTIFICATE_FILE: setting(
    loosened(text().optional(), (path) =>
      path === undefined ? 'is missing, so that RPC is answered without TLS' : undefined,
    ),
    'PEM certificate of the process, as server and client',
  ),
  SSS_TLS_CLIENT_CA_FILE: setting(
    text().optional(),
    'PEM certificate authorities of RPC callers; unset: no client certificates',
  ),
  SSS_RPC_PORT: setting(
    port().optional(),
    'RPC over TLS, Connect and gRPC; required except in a local stack',
  ),
  SSS_PRIVATE_PORT: setting(
    port().optional(),
    'probes and metrics without TLS, never public; required except in a local stack',
  ),
  SSS_RPC_HTTP1_PORT: setting(port().optional(), 'local stack without TLS: Connect, probes and metrics'),
  SSS_RPC_H2C_PORT: setting(port().optional(), 'local stack without TLS: gRPC'),
  SSS_DATABASE_URL: setting(
    postgresUrl(),
    'database, with the runtime role: `postgresql://…?sslmode=verify-full`',
  ),
  SSS_DATABASE_POOL: setting(
    whole(2, 200).default(10),
    '[connections](operating.md#connections-to-postgresql) for callers',
  ),
  SSS_STAFF_CALLS_IN_FLIGHT: setting(
    whole(1, 199).optional(),
    'concurrent staff calls, fewer than `SSS_DATABASE_POOL`; unset: two fifths of the pool',
  ),
  SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON: setting(
    whole(1, 199).optional(),
    'concurrent calls of one person; unset: half of the above',
  ),
  SSS_STAFF_CALL_WAIT_SECONDS: setting(
    whole(1, 9).default(5),
    'seconds that a staff call waits before it is refused',
  ),
  ...natsVariables,
  SSS_ISSUERS_FILE: setting(
    loosened(text(), fetchesKeysInTheClear),
    'JSON list of [token issuers](operating.md#issuers-of-tokens)',
  ),
  SSS_TOKEN_CLOCK_TOLERANCE_SECONDS: setting(
    whole(0, 300).default(30),
    'allowed clock difference of token issuers, in seconds',
  ),
  SSS_SERVICE_TOKEN_DIR: setting(text(), 'folder of the process’s own tokens, one file per audience'),
  // Status changes are listed for up to seven days back.
  SSS_EVENT_RETENTION_DAYS: setting(
    whole(7, 90).default(7),
    'days that databases keep published events, the same for all services',
  ),
  SSS_LOG_LEVEL: setting(
    z.enum(['debug', 'info', 'warn', 'error'], 'is not a log level').default('info'),
    '`debug`, `info`, `warn` or `error`',
  ),
};

/** The variables of every internal service, which seals data. */
export const serviceVariables = {
  ...processVariables,
  SSS_KEY_RING_FILE: setting(
    text(),
    'JSON [key ring](operating.md#keys) with at most 32 keys and 4 digest keys',
  ),
};

type Variables = z.infer<z.ZodObject<typeof processVariables>>;

/** Connect over HTTP/1.1 and gRPC over HTTP/2 on one port; probes and metrics, without TLS, on another. */
export interface TlsListener {
  readonly port: number;
  readonly privatePort: number;
  readonly identity: NonNullable<TlsFiles['identity']>;
  /** Authorities for callers' certificates; without them, callers need none. */
  readonly callerAuthorities: NamedFile | undefined;
}

/** Connect over HTTP/1.1 with probes and metrics on one port, gRPC over h2c on the other. Only in local stacks. */
export interface PlainListeners {
  readonly http1Port: number;
  readonly h2cPort: number;
}

export type ProcessConfig = Readonly<ReturnType<typeof processConfig>>;
export type ServiceConfig = Readonly<ReturnType<typeof serviceConfig>>;

/** Builds the configuration common to all internal services. Throws like `processConfig`. */
export function serviceConfig(values: z.infer<z.ZodObject<typeof serviceVariables>>) {
  return { ...processConfig(values), keyRingFile: values.SSS_KEY_RING_FILE };
}

/** Builds a process's configuration. Throws a ConfigError for inconsistent ports, TLS files or bounds. */
export function processConfig(values: Variables) {
  const tls = tlsFiles(values);
  return {
    host: values.SSS_HOST,
    rpc: rpcListeners(values, tls.identity),
    /** What the process presents, and what it trusts, when it calls others. */
    tls,
    databaseUrl: values.SSS_DATABASE_URL,
    databasePool: values.SSS_DATABASE_POOL,
    staffCalls: staffCalls(values),
    nats: natsAccess(values),
    /** How long published events can be published again, the same for every service of an installation. */
    publishedDays: values.SSS_EVENT_RETENTION_DAYS,
    issuersFile: values.SSS_ISSUERS_FILE,
    clockToleranceS: values.SSS_TOKEN_CLOCK_TOLERANCE_SECONDS,
    serviceTokenDir: values.SSS_SERVICE_TOKEN_DIR,
    logLevel: values.SSS_LOG_LEVEL,
  };
}

/** Returns how many staff calls run simultaneously, and how long others wait. */
function staffCalls(values: Variables) {
  const pool = values.SSS_DATABASE_POOL;
  const inFlight = values.SSS_STAFF_CALLS_IN_FLIGHT ?? Math.max(1, Math.floor(pool * STAFF_SHARE));
  const perPerson = values.SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON ?? Math.max(1, Math.floor(inFlight / 2));
  if (inFlight >= pool)
    throw new ConfigError(
      `bad configuration: SSS_STAFF_CALLS_IN_FLIGHT must be less than SSS_DATABASE_POOL (${pool}), because suppliers need the rest`,
    );
  if (perPerson > inFlight)
    throw new ConfigError(
      `bad configuration: SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON must be at most SSS_STAFF_CALLS_IN_FLIGHT, ${inFlight}`,
    );
  return {
    inFlight,
    inFlightPerPerson: perPerson,
    maxWaitMs: values.SSS_STAFF_CALL_WAIT_SECONDS * 1_000,
  };
}

function rpcListeners(values: Variables, identity: TlsFiles['identity']): TlsListener | PlainListeners {
  if (!identity) {
    refuseSet(
      values,
      ['SSS_RPC_PORT', 'SSS_PRIVATE_PORT', 'SSS_TLS_CLIENT_CA_FILE'],
      'is set, but SSS_TLS_CERTIFICATE_FILE is not',
    );
    return {
      http1Port: required(values, 'SSS_RPC_HTTP1_PORT'),
      h2cPort: required(values, 'SSS_RPC_H2C_PORT'),
    };
  }
  refuseSet(values, ['SSS_RPC_HTTP1_PORT', 'SSS_RPC_H2C_PORT'], 'is set, but RPC uses TLS');
  return {
    port: required(values, 'SSS_RPC_PORT'),
    privatePort: required(values, 'SSS_PRIVATE_PORT'),
    identity,
    callerAuthorities: named('SSS_TLS_CLIENT_CA_FILE', values.SSS_TLS_CLIENT_CA_FILE),
  };
}

type PortName = `SSS_${string}_PORT` & keyof Variables;

function required(values: Variables, name: PortName): number {
  const value = values[name];
  if (value === undefined) throw new ConfigError(`bad configuration: ${name} is missing`);
  return value;
}

function refuseSet(values: Variables, names: readonly (keyof Variables)[], why: string): void {
  for (const name of names)
    if (values[name] !== undefined) throw new ConfigError(`bad configuration: ${name} ${why}`);
}

/** `readIssuers` reports other faults of the file. */
function fetchesKeysInTheClear(path: string): string | undefined {
  const entry = z.looseObject({ jwksUri: z.string().optional() });
  try {
    const issuers = z.array(entry).parse(JSON.parse(readFileSync(path, 'utf8')));
    const isPlain = issuers.some(({ jwksUri }) => jwksUri && new URL(jwksUri).protocol === 'http:');
    return isPlain ? 'has an issuer whose keys are fetched from a plain http: address' : undefined;
  } catch {
    return undefined;
  }
}
