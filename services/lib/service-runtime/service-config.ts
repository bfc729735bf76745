import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { loosened, port, postgresUrl, text, whole } from '../config/index.ts';
import { type NatsAccess, natsAccess, natsVariables } from '../nats-access/index.ts';

/** The variables of every internal service. A service adds its own to these and reads them all at once. */
export const serviceVariables = {
  SSS_HOST: text().default('127.0.0.1'),
  SSS_RPC_HTTP1_PORT: port(),
  SSS_RPC_H2C_PORT: port(),
  SSS_DATABASE_URL: postgresUrl(),
  SSS_DATABASE_POOL: whole(2, 200).default(10),
  ...natsVariables,
  SSS_ISSUERS_FILE: loosened(text(), fetchesKeysInTheClear),
  SSS_SERVICE_TOKEN_DIR: text(),
  SSS_KEY_RING_FILE: text(),
  SSS_STREAM_REPLICAS: whole(1, 5).default(1),
  SSS_STREAM_MAX_AGE_DAYS: whole(1, 90).default(7),
  SSS_STREAM_MAX_BYTES: whole(0, 999_999_999_999_999).default(0),
  // Changes of status are listed as far back as seven days.
  SSS_EVENT_RETENTION_DAYS: whole(7, 90).default(7),
  SSS_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'is not a log level').default('info'),
};

type Variables = z.infer<z.ZodObject<typeof serviceVariables>>;

/** How published events are kept, in the stream and in the database. The same for every service of an installation. */
export interface EventSettings {
  /** Copies of each stream in the cluster of the event bus. */
  readonly replicas: number;
  readonly maxAgeDays: number;
  /** 0: streams are bounded by their age alone. */
  readonly maxBytes: number;
  /** For how long a published event can be published again. */
  readonly publishedDays: number;
}

export interface ServiceConfig {
  readonly host: string;
  readonly http1Port: number;
  readonly h2cPort: number;
  readonly databaseUrl: string;
  /** Maximum of connections to PostgreSQL. */
  readonly databasePool: number;
  readonly nats: NatsAccess;
  readonly events: EventSettings;
  readonly issuersFile: string;
  readonly serviceTokenDir: string;
  readonly keyRingFile: string;
  readonly logLevel: string;
}

export function serviceConfig(values: Variables): ServiceConfig {
  return {
    host: values.SSS_HOST,
    http1Port: values.SSS_RPC_HTTP1_PORT,
    h2cPort: values.SSS_RPC_H2C_PORT,
    databaseUrl: values.SSS_DATABASE_URL,
    databasePool: values.SSS_DATABASE_POOL,
    nats: natsAccess(values),
    events: {
      replicas: values.SSS_STREAM_REPLICAS,
      maxAgeDays: values.SSS_STREAM_MAX_AGE_DAYS,
      maxBytes: values.SSS_STREAM_MAX_BYTES,
      publishedDays: values.SSS_EVENT_RETENTION_DAYS,
    },
    issuersFile: values.SSS_ISSUERS_FILE,
    serviceTokenDir: values.SSS_SERVICE_TOKEN_DIR,
    keyRingFile: values.SSS_KEY_RING_FILE,
    logLevel: values.SSS_LOG_LEVEL,
  };
}

/** What else is wrong with the file is said by whoever reads all of it. */
function fetchesKeysInTheClear(path: string): string | undefined {
  const entry = z.looseObject({ jwksUri: z.string().optional() });
  try {
    const issuers = z.array(entry).parse(JSON.parse(readFileSync(path, 'utf8')));
    const isPlain = issuers.some(({ jwksUri }) => jwksUri && new URL(jwksUri).protocol === 'http:');
    return isPlain ? 'names an issuer whose keys are fetched from a plain http: address' : undefined;
  } catch {
    return undefined;
  }
}
